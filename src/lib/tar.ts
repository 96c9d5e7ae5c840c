/**
 * Writes tar archives (POSIX.1-2001, pax) as streams: each entry is its header, its bytes, and zeros up to a
 * full block.
 */
const BLOCK = 512;

const encoder = new TextEncoder();

/**
 * Largest file size in bytes that fits into the octal digits of a tar header. Larger files need a pax record.
 */
const MAX_OCTAL_SIZE = 8 ** 11 - 1;

interface Entry {
  /** Path of the file in the archive, with `/` between folders. */
  name: string;
  size: number;
  modified: Date;
}

export function tarHeader({ name, size, modified }: Entry): Uint8Array {
  const path = name.toWellFormed();
  const isPlain = path.length <= 100 && /^[\x20-\x7e]*$/.test(path);
  const records = [
    ...(isPlain ? [] : [record('path', path)]),
    ...(size <= MAX_OCTAL_SIZE ? [] : [record('size', String(size))]),
  ].join('');
  const shown = isPlain ? path : path.replace(/[^\x20-\x7e]/g, '_').slice(0, 100);
  const file = header(shown, Math.min(size, MAX_OCTAL_SIZE), modified, '0');
  if (!records) return file;
  const body = encoder.encode(records);
  return concatBytes([header('pax', body.length, modified, 'x'), body, tarPadding(body.length), file]);
}

/** Returns the zeros that follow the content of a file, up to the next full block. */
export const tarPadding = (size: number): Uint8Array => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

/** Returns the end mark of a tar archive. An archive without this mark was truncated. */
export const tarEnd = (): Uint8Array => new Uint8Array(2 * BLOCK);

/**
 * Returns a pax record of a tar header. The record states its own length, including the digits of the length.
 */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = encoder.encode(rest).length;
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return `${length}${rest}`;
}

function header(name: string, size: number, modified: Date, type: '0' | 'x'): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  put(0, name);
  put(100, '0000644\0');
  put(108, '0000000\0');
  put(116, '0000000\0');
  put(124, `${octal(size, 11)}\0`);
  put(136, `${octal(Math.max(0, Math.floor(modified.getTime() / 1000)), 11)}\0`);
  // The checksum of a tar header is computed with spaces in the checksum's own field.
  put(148, '        ');
  put(156, type);
  put(257, 'ustar\x0000');
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return block;
}

function concatBytes(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
