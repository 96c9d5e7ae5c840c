const SURROGATES = 0xd800;
const NEEDS_CODE_POINT_ORDER = /[\ud800-\uffff]/;

function isSurrogate(unit: number): boolean {
  return unit >= SURROGATES && unit < 0xe000;
}

/**
 * Compares strings in the order of SQLite: by UTF-8 bytes, which is code point order and differs from UTF-16
 * order.
 */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // The two orders differ only if a surrogate meets a unit from U+E000 upwards, because surrogates encode
    // the highest code points.
    if (x >= SURROGATES && y >= SURROGATES && isSurrogate(x) !== isSurrogate(y))
      return isSurrogate(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

/** Sorts the array in place by code points. */
export function sortByCodePoints(texts: string[]): string[] {
  texts.sort();
  return texts.some((text) => NEEDS_CODE_POINT_ORDER.test(text)) ? texts.sort(compareCodePoints) : texts;
}
