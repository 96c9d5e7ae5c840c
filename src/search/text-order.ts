const SURROGATES = 0xd800;
const NEEDS_CODE_POINT_ORDER = /[\ud800-\uffff]/;

function isSurrogate(unit: number): boolean {
  return unit >= SURROGATES && unit < 0xe000;
}

/**
 * Compares strings in the order of SQLite, which sorts by UTF-8 bytes. This is the order of code points and
 * differs from JavaScript's UTF-16 order.
 */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // UTF-16 order differs from code point order only if a surrogate meets a unit from U+E000 upwards.
    // Surrogates encode the highest code points.
    if (x >= SURROGATES && y >= SURROGATES && isSurrogate(x) !== isSurrogate(y))
      return isSurrogate(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

export function sortByCodePoints(texts: string[]): string[] {
  texts.sort();
  return texts.some((text) => NEEDS_CODE_POINT_ORDER.test(text)) ? texts.sort(compareCodePoints) : texts;
}
