/** The order of SQLite's text: UTF-8 bytes, which is code points and not UTF-16 units. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  // The two orders differ only where surrogates meet what follows them.
  if (!BEYOND.test(a) && !BEYOND.test(b)) return a < b ? -1 : 1;
  const x = [...a];
  const y = [...b];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return x[i]!.codePointAt(0)! - y[i]!.codePointAt(0)!;
  }
  return x.length - y.length;
}

/** Sorts in place. */
export function sortByCodePoints(texts: string[]): string[] {
  texts.sort();
  return texts.some((text) => BEYOND.test(text)) ? texts.sort(compareCodePoints) : texts;
}

const BEYOND = /[\ud800-\uffff]/;
