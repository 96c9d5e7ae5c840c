import { guessLegacyEncoding } from './legacy-encoding.ts';
import { isCommonIdeograph } from './letters.ts';

/**
 * Text decoded from bytes. The encoding is determined by a byte order mark, then the declared charset, then
 * by checking for valid UTF-8. Otherwise it is guessed from the letters.
 */

export interface DecodedText {
  text: string;
  /** WHATWG label of the text's encoding, or `utf-32le` or `utf-32be`, which have no such label. */
  encoding: string;
}

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, littleEndian);
    parts.push(code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');
  }
  return parts.join('');
}

function sniffUnicode(bytes: Uint8Array): { encoding: string; skip: number } | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return { encoding: 'utf-32le', skip: 4 };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: 'utf-32be', skip: 4 };
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', skip: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', skip: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', skip: 2 };
  return sniffWithoutMark(bytes);
}

/**
 * Detects UTF-16 and UTF-32 without a byte order mark. Mostly Latin text has zero bytes at fixed positions of
 * each two-byte or four-byte unit.
 */
function sniffWithoutMark(bytes: Uint8Array): { encoding: string; skip: number } | undefined {
  const size = Math.min(bytes.length & ~3, 1024);
  if (size < 4) return undefined;
  const zeros = [0, 0, 0, 0];
  for (let at = 0; at < size; at++) if (bytes[at] === 0) zeros[at & 3]!++;
  const share = zeros.map((count) => count / (size / 4));
  const [z0, z1, z2, z3] = share as [number, number, number, number];
  if (z2 > 0.9 && z3 > 0.9 && z1 > 0.5 && z0 < 0.1) return { encoding: 'utf-32le', skip: 0 };
  if (z0 > 0.9 && z1 > 0.9 && z2 > 0.5 && z3 < 0.1) return { encoding: 'utf-32be', skip: 0 };
  if (z1 > 0.5 && z3 > 0.5 && z0 < 0.1 && z2 < 0.1) return { encoding: 'utf-16le', skip: 0 };
  if (z0 > 0.5 && z2 > 0.5 && z1 < 0.1 && z3 < 0.1) return { encoding: 'utf-16be', skip: 0 };
  return sniffWideScript(bytes);
}

const MIN_WIDE_BYTES = 12;
/**
 * Matches a text of characters from common scripts. With the wrong byte order, the decoded characters would
 * be scattered over all of Unicode.
 */
const COMMON_CHARACTERS =
  /^[\t\n\r\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u0386-\u03ce\u0400-\u045f\u0490\u0491\u05d0-\u05ea\u060c-\u0652\u0900-\u097f\u0e01-\u0e5b\u1ea0-\u1ef9\u2010-\u2026\u20ac\u2116\u2122\u3000-\u301f\u3041-\u30fe\u4e00-\u9fa5\uac00-\ud7a3\uff01-\uff9f]+$/;
/**
 * Matches Chinese characters. Real texts consist mostly of common characters, while wrongly decoded texts
 * contain random ones.
 */
const IDEOGRAPH = /[\u4e00-\u9fa5]/gu;

/**
 * Detects UTF-16 text in scripts other than Latin. Such text has few or no zero bytes, but contains bytes
 * that single-byte text does not have.
 */
function sniffWideScript(bytes: Uint8Array): { encoding: string; skip: number } | undefined {
  const sample = bytes.subarray(0, Math.min(bytes.length & ~1, 2048));
  if (sample.length < MIN_WIDE_BYTES || (bytes.length & 1) === 1 || !sample.some(isControl)) return undefined;
  for (const encoding of ['utf-16le', 'utf-16be']) {
    const text = new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(sample);
    const ideographs = text.match(IDEOGRAPH) ?? [];
    const common = ideographs.filter((one) => isCommonIdeograph(one)).length;
    if (COMMON_CHARACTERS.test(text) && common * 4 >= ideographs.length) return { encoding, skip: 0 };
  }
  return undefined;
}

const isControl = (byte: number) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);

/**
 * Decodes UTF-8. Accepts a few damaged characters in an otherwise valid text. Returns `undefined` if the
 * bytes have another encoding.
 */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8').decode(bytes);
  let damaged = 0;
  let wide = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) damaged++;
  if (damaged === 0) return text;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) wide++;
  return damaged * 10 < wide ? text : undefined;
}

const ESCAPE = 0x1b;
/**
 * Bytes that follow an escape byte in ISO-2022-JP: `$B`, `$@` and `(I`. They select a two-byte Japanese
 * character set or half-width katakana.
 */
const JAPANESE_SETS = [
  [0x24, 0x42],
  [0x24, 0x40],
  [0x28, 0x49],
];

/**
 * Number of bytes at the beginning that must be valid ISO-2022-JP. Later damage affects only single
 * characters.
 */
const JIS_SAMPLE = 16 * 1024;

/**
 * Decodes ISO-2022-JP, a Japanese encoding that uses only ASCII bytes. It is recognized by its escape
 * sequences if the beginning of the text is valid.
 */
function decodeJis(bytes: Uint8Array): string | undefined {
  for (let at = bytes.indexOf(ESCAPE); at >= 0; at = bytes.indexOf(ESCAPE, at + 1)) {
    if (!JAPANESE_SETS.some(([one, other]) => bytes[at + 1] === one && bytes[at + 2] === other)) continue;
    return isJis(bytes.subarray(0, JIS_SAMPLE)) ? new TextDecoder('iso-2022-jp').decode(bytes) : undefined;
  }
  return undefined;
}

function isJis(sample: Uint8Array): boolean {
  try {
    // The sample may end in the middle of a character, so its end is not checked.
    new TextDecoder('iso-2022-jp', { fatal: true, ignoreBOM: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function decodeLabelled(bytes: Uint8Array, label: string): DecodedText | undefined {
  try {
    const decoder = new TextDecoder(label);
    return { text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch {
    return undefined;
  }
}

/**
 * Decodes a text and never throws. `declared` is the charset that the file format names, and an unknown
 * charset is ignored. Null characters are removed, because databases cut texts at them.
 */
export function decodeText(bytes: Uint8Array, declared?: string): DecodedText {
  const decoded = decode(bytes, declared);
  return decoded.text.includes('\0') ? { ...decoded, text: decoded.text.replaceAll('\0', '') } : decoded;
}

/**
 * Decodes a text in UTF-16 or UTF-32, or in UTF-8 with a byte order mark. Returns `undefined` for other texts.
 */
export function decodeUnicode(bytes: Uint8Array): DecodedText | undefined {
  const unicode = sniffUnicode(bytes);
  if (!unicode) return undefined;
  const body = bytes.subarray(unicode.skip);
  if (unicode.encoding.startsWith('utf-32')) {
    return { text: decodeUtf32(body, unicode.encoding === 'utf-32le'), encoding: unicode.encoding };
  }
  return { text: new TextDecoder(unicode.encoding).decode(body), encoding: unicode.encoding };
}

function decode(bytes: Uint8Array, declared: string | undefined): DecodedText {
  const unicode = decodeUnicode(bytes);
  if (unicode) return unicode;
  const label = declared?.trim().toLowerCase();
  // If a declaration of UTF-16 is itself written in ASCII letters, it is wrong. A declaration of UTF-8 may be
  // wrong too.
  if (label && !/^utf-?(8|16|32)/.test(label)) {
    const labelled = decodeLabelled(bytes, label);
    if (labelled) return labelled;
  }
  const jis = decodeJis(bytes);
  if (jis !== undefined) return { text: jis, encoding: 'iso-2022-jp' };
  const utf8 = decodeUtf8(bytes);
  if (utf8 !== undefined) return { text: utf8, encoding: 'utf-8' };
  const encoding = guessLegacyEncoding(bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

/**
 * Returns whether the bytes are text. Text has at most one percent control characters or is encoded in UTF-16
 * or UTF-32.
 */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (sniffUnicode(bytes)) return true;
  const head = bytes.subarray(0, 8192);
  let odd = 0;
  for (const byte of head) {
    if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) odd++;
    else if (byte === 0x7f) odd++;
  }
  return odd * 100 <= head.length;
}
