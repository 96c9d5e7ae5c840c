import type { ChunkableDocument, Segment } from '#src/ingest/chunking/chunker.ts';

export function segmentNone({ text }: ChunkableDocument): Segment[] {
  return [{ text, startChar: 0 }];
}
