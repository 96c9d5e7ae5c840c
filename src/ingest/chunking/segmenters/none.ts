import type { ChunkableDocument, Segment } from '../chunker.ts';

export function segmentNone({ text }: ChunkableDocument): Segment[] {
  return [{ text, startChar: 0 }];
}
