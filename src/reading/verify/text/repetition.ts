import type { Token } from './tokens.ts';

/**
 * Minimum number of consecutive words of a repeated passage. Ordinary pages often contain shorter passages
 * twice.
 */
const WINDOW_TOKENS = 8;
const MIN_SURPLUS_SHARE = 0.75;

/**
 * Minimum number of letters of a passage that counts as repeated regardless of spaces. Such passages must not
 * be reported if the page only divides its words differently.
 */
const WINDOW_LETTERS = 16;

/**
 * Returns, for each token, whether it is in a passage that the text repeats more often than the page. A
 * language model in a loop writes such passages.
 */
export function findRepetition(tokens: readonly Token[], page: readonly Token[]): boolean[] {
  const onPage = new Map<number, number>();
  for (const { hash } of hashWindows(page)) onPage.set(hash, (onPage.get(hash) ?? 0) + 1);
  const isRepeated = new Array<boolean>(tokens.length).fill(false);
  const seen = new Map<number, number>();
  // Index after the last token that is already marked. The next window overlaps marked tokens.
  let marked = 0;
  const isSurplus = markSurplus(page, tokens);
  const isLetterSurplus = markLetterSurplus(page, tokens);
  // For each position, the number of earlier tokens that occur more often in the text than on the page.
  const surplusBefore = [0];
  for (const each of isSurplus) surplusBefore.push(surplusBefore.at(-1)! + Number(each));
  for (const { start, hash } of hashWindows(tokens)) {
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    if (count <= Math.max(1, onPage.get(hash) ?? 0) || !isLetterSurplus[start]) continue;
    // A scanned page may repeat the passage as often, but with misread letters. In that case most words of
    // the passage are not a surplus.
    if (surplusBefore[start + WINDOW_TOKENS]! - surplusBefore[start]! < WINDOW_TOKENS * MIN_SURPLUS_SHARE)
      continue;
    for (let at = Math.max(start, marked); at < start + WINDOW_TOKENS; at++) isRepeated[at] = true;
    marked = start + WINDOW_TOKENS;
  }
  return isRepeated;
}

const BASE = 1_000_003;
const computeOutgoingFactor = (length: number) => {
  let power = 1;
  for (let times = 1; times < length; times++) power = Math.imul(power, BASE);
  return power;
};
const outgoingFactor = computeOutgoingFactor(WINDOW_TOKENS);
const outgoingLetterFactor = computeOutgoingFactor(WINDOW_LETTERS);

/** Yields a rolling hash of each window of `WINDOW_TOKENS` tokens. Equal windows have equal hashes. */
function* hashWindows(tokens: readonly Token[]): Generator<{ start: number; hash: number }> {
  let hash = 0;
  for (let end = 0; end < tokens.length; end++) {
    const outgoing = end >= WINDOW_TOKENS ? mixHash(tokens[end - WINDOW_TOKENS]!.id) : 0;
    hash = (Math.imul(hash - Math.imul(outgoing, outgoingFactor), BASE) + mixHash(tokens[end]!.id)) | 0;
    if (end + 1 >= WINDOW_TOKENS) yield { start: end + 1 - WINDOW_TOKENS, hash };
  }
}

const mixHash = (id: number) => Math.imul(id + 1, 0x9e3779b1) ^ (id >>> 7);

/**
 * Returns, for each token, whether the letters that follow have occurred more often in the text than on the
 * page.
 */
function markLetterSurplus(page: readonly Token[], tokens: readonly Token[]): boolean[] {
  const onPage = new Map<number, number>();
  const printed = page.map(({ letters }) => letters).join('');
  for (const hash of hashLetterWindows(printed)) onPage.set(hash, (onPage.get(hash) ?? 0) + 1);
  const hashes = [...hashLetterWindows(tokens.map(({ letters }) => letters).join(''))];
  const seen = new Map<number, number>();
  let at = 0;
  return tokens.map(({ letters }) => {
    const hash = hashes[at];
    at += letters.length;
    // The last words have no complete window, so they are treated like the words before them.
    if (hash === undefined) return true;
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return count > Math.max(1, onPage.get(hash) ?? 0);
  });
}

function* hashLetterWindows(text: string): Generator<number> {
  let hash = 0;
  for (let end = 0; end < text.length; end++) {
    const gone = end >= WINDOW_LETTERS ? mixHash(text.charCodeAt(end - WINDOW_LETTERS)) : 0;
    hash =
      (Math.imul(hash - Math.imul(gone, outgoingLetterFactor), BASE) + mixHash(text.charCodeAt(end))) | 0;
    if (end + 1 >= WINDOW_LETTERS) yield hash;
  }
}

function markSurplus(page: readonly Token[], tokens: readonly Token[]): boolean[] {
  const balance = new Map<number, number>();
  for (const { id } of tokens) balance.set(id, (balance.get(id) ?? 0) + 1);
  for (const { id } of page) balance.set(id, (balance.get(id) ?? 0) - 1);
  return tokens.map(({ id }) => balance.get(id)! > 0);
}
