import { tarEnd, tarHeader, tarPadding } from '#src/lib/tar.ts';

/** File in an archive. Its size must be known before its bytes are read. */
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

/** Yields the bytes of a tar archive. Only one chunk is in memory at a time. */
export async function* createArchive(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield tarHeader(entry);
    let size = 0;
    for await (const piece of entry.bytes) {
      size += piece.byteLength;
      yield piece;
    }
    // A wrong size would shift the following entries. Throwing ends the archive without its end marker, so
    // that readers notice that it is incomplete.
    if (size !== entry.size) throw new Error(`${entry.name} has ${size} bytes instead of ${entry.size}`);
    yield tarPadding(size);
  }
  yield tarEnd();
}
