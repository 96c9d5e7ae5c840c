/** Number of characters, after the common beginning of two texts, between which a text is chosen. */
const COMPARED = 6;
/** Number of ASCII characters, of which ids mostly consist. Other characters count by their remainder. */
const CODES = 128;

/**
 * Returns a text that comes after `low` and before `high`, or near them, in the order of ASCII characters. `share`
 * says how far it is from `low`, from 0 to 1.
 */
export function pickTextBetween(low: string, high: string, share = Math.random()): string {
  let common = 0;
  while (common < low.length && low[common] === high[common]) common += 1;
  const [from, to] = [toNumber(low, common), toNumber(high, common)];
  return low.slice(0, common) + toText(Math.floor(from + share * Math.max(0, to - from)));
}

function toNumber(text: string, start: number): number {
  let sum = 0;
  for (let at = start; at < start + COMPARED; at += 1)
    sum = sum * CODES + (at < text.length ? text.charCodeAt(at) % CODES : 0);
  return sum;
}

function toText(number: number): string {
  const codes: number[] = [];
  for (let left = number; codes.length < COMPARED; left = Math.floor(left / CODES))
    codes.unshift(left % CODES);
  return String.fromCharCode(...codes);
}
