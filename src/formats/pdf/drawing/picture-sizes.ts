/** Number of bytes to search for the dictionary before and after the entry that marks a picture. */
const REACH = 1_024;
const PIECE = 1024 * 1024;
/** Maximum number of pictures that are inspected. */
const MAX_PICTURES = 20_000;
const IS_PICTURE = /\/Subtype\s*\/Image\b/g;
const WIDTH = /\/Width\s+(\d{1,6})(?!\d)/;
const HEIGHT = /\/Height\s+(\d{1,6})(?!\d)/;

/**
 * Returns the number of pixels of the largest picture in a PDF, or 0 if there is none. Pictures are streams,
 * and dictionaries of streams are neither compressed nor encrypted.
 */
export function findLargestPicture(bytes: Uint8Array): number {
  const decoder = new TextDecoder('latin1');
  let largest = 0;
  let seen = 0;
  for (let from = 0; from < bytes.length; from += PIECE) {
    const start = Math.max(0, from - REACH);
    const text = decoder.decode(bytes.subarray(start, from + PIECE + REACH));
    for (const { index } of text.matchAll(IS_PICTURE)) {
      // Entries in a neighboring piece are found when that piece is searched.
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
