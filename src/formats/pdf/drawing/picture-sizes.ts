/** Bytes of a dictionary on either side of the entry that makes it a picture. */
const REACH = 1_024;
const PIECE = 1024 * 1024;
/** Pictures of a file that are looked at. */
const MAX_PICTURES = 20_000;
const IS_PICTURE = /\/Subtype\s*\/Image\b/g;
const WIDTH = /\/Width\s+(\d{1,6})(?!\d)/;
const HEIGHT = /\/Height\s+(\d{1,6})(?!\d)/;

/**
 * Returns how many pixels the largest picture of a PDF has; 0 without one. Pictures are streams, whose dictionaries stand
 * in the file as they are: neither compression nor encryption hides their numbers.
 */
export function findLargestPicture(bytes: Uint8Array): number {
  const decoder = new TextDecoder('latin1');
  let largest = 0;
  let seen = 0;
  for (let from = 0; from < bytes.length; from += PIECE) {
    const start = Math.max(0, from - REACH);
    const text = decoder.decode(bytes.subarray(start, from + PIECE + REACH));
    for (const { index } of text.matchAll(IS_PICTURE)) {
      // What begins in a neighbouring piece is found there.
      if (start + index < from || start + index >= from + PIECE) continue;
      if (++seen > MAX_PICTURES) return largest;
      const dictionary = dictionaryAround(text, index);
      const [, width] = WIDTH.exec(dictionary) ?? [];
      const [, height] = HEIGHT.exec(dictionary) ?? [];
      largest = Math.max(largest, Number(width ?? 0) * Number(height ?? 0));
    }
  }
  return largest;
}

function dictionaryAround(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - REACH), index);
  const after = text.slice(index, index + REACH);
  const end = after.indexOf('stream');
  return before.slice(before.lastIndexOf(' obj') + 1) + (end < 0 ? after : after.slice(0, end));
}
