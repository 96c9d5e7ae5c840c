/**
 * Maximum length of a formula in characters. In a longer range the opening sign was never closed, so the
 * range is read as text.
 */
const MAX_FORMULA_CHARACTERS = 2_000;
const CLOSERS: Record<string, string> = { $$: '$$', $: '$', '\\(': '\\)', '\\[': '\\]' };
const ONLY_IN_FORMULAS = /[\\^_{}=]/;

/**
 * Returns the end offset of the formula that begins at an offset. Returns `undefined` if no formula begins
 * there, for example at the dollar sign of a price.
 */
export function findFormulaEnd(
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
  // `next` must be called with increasing offsets. This holds because every search starts right after the
  // opening sign of a formula.
  const end =
    open === '$'
      ? source.slice(inner, inner + MAX_FORMULA_CHARACTERS).indexOf('$') + inner
      : next(close, inner);
  if (end < inner || end - inner > MAX_FORMULA_CHARACTERS || (open === '$' && end > lineEnd))
    return undefined;
  return ONLY_IN_FORMULAS.test(source.slice(inner, end)) ? end + close.length : undefined;
}

/**
 * Returns the letters and digits of a formula at their original offsets. All other characters and the names
 * of commands become spaces.
 */
export function readFormulaText(formula: string): string {
  return formula
    .replace(/\\[a-zA-Z]+/g, (name) => ' '.repeat(name.length))
    .replace(/\{,\}/g, ' , ')
    .replace(/[^\p{L}\p{Nd}.,]/gu, ' ')
    .replace(/(?<=\d) , (?=\d)/g, '   ');
}
