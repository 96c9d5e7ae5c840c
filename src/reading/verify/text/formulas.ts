/** Longer ones are read as text: no formula of a page is, and a sign that nobody closes is none. */
const LONGEST = 2_000;
const CLOSERS: Record<string, string> = { $$: '$$', $: '$', '\\(': '\\)', '\\[': '\\]' };
const ONLY_IN_FORMULAS = /[\\^_{}=]/;

/** Where the formula ends that begins at a place; undefined where none does, as at the sign of a price. */
export function formulaEnd(
  source: string,
  at: number,
  lineEnd: number,
  next: (needle: string, from: number) => number,
): number | undefined {
  const two = source.slice(at, at + 2);
  const open = Object.hasOwn(CLOSERS, two) ? two : source[at]!;
  const close = CLOSERS[open];
  if (close === undefined) return undefined;
  const inner = at + open.length;
  // A finder is asked for places that grow; looking past the opening sign alone keeps them so.
  const end = open === '$' ? source.slice(inner, inner + LONGEST).indexOf('$') + inner : next(close, inner);
  if (end < inner || end - inner > LONGEST || (open === '$' && end > lineEnd)) return undefined;
  return ONLY_IN_FORMULAS.test(source.slice(inner, end)) ? end + close.length : undefined;
}

/** The letters and digits of a formula at their places and blanks for all else, names of signs too. */
export function formulaText(formula: string): string {
  return formula
    .replace(/\\[a-zA-Z]+/g, (name) => ' '.repeat(name.length))
    .replace(/\{,\}/g, ' , ')
    .replace(/[^\p{L}\p{Nd}.,]/gu, ' ')
    .replace(/(?<=\d) , (?=\d)/g, '   ');
}
