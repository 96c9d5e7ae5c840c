import type { ReadDocument, Segment } from '#src/ingest/chunking/chunker.ts';

export function segmentNone({ text, blocks }: ReadDocument): Segment[] {
  return [{ text, startChar: 0, blocks }];
}
