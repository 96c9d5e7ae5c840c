const SURROGATES = 0xd800;
const BEYOND = /[\ud800-\uffff]/;

function isSurrogate(unit: number): boolean {
  return unit >= SURROGATES && unit < 0xe000;
}

/** The order of SQLite's text: UTF-8 bytes, which is code points and not UTF-16 units. */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // The two orders differ only where surrogates, which stand for the highest code points, meet what follows them.
    if (x >= SURROGATES && y >= SURROGATES && isSurrogate(x) !== isSurrogate(y))
      return isSurrogate(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

/** Sorts in place. */
export function sortByCodePoints(texts: string[]): string[] {
  texts.sort();
  return texts.some((text) => BEYOND.test(text)) ? texts.sort(compareCodePoints) : texts;
}
