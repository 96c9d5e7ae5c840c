import { tarEnd, tarHeader, tarPadding } from '#src/lib/tar.ts';

/** A file of an archive, whose size is known before its bytes are read. */
export interface Entry {
  name: string;
  size: number;
  modified: Date;
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const encoder = new TextEncoder();

export function textEntry(name: string, text: string, modified = new Date()): Entry {
  const bytes = encoder.encode(text);
  return { name, size: bytes.length, modified, bytes: [bytes] };
}

/** The bytes of an archive, an entry after the other; no more is held than a piece of one. */
export async function* archive(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield tarHeader(entry);
    let size = 0;
    for await (const piece of entry.bytes) {
      size += piece.byteLength;
      yield piece;
    }
    // What follows would be read as this entry's bytes: an archive that is cut off says so by its missing end.
    if (size !== entry.size) throw new Error(`${entry.name} has ${size} bytes instead of ${entry.size}`);
    yield tarPadding(size);
  }
  yield tarEnd();
}
