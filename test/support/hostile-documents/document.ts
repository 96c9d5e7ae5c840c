/** A small file that costs a careless reader far more than its size. */
export interface HostileDocument {
  /** What the file holds, as a test title names it. */
  name: string;
  /** File name with the extension of its format. */
  file: string;
  bytes(): Uint8Array;
}

export const bytesOfText = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Joins byte arrays and strings of Latin-1 characters. */
export function concat(parts: readonly (Uint8Array | string)[]): Uint8Array {
  const pieces = parts.map((part) => (typeof part === 'string' ? latin1(part) : part));
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

export function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
