import { Conflict } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { WholeDocument } from '#src/ports/sink.ts';
import { pageMetadata } from '#src/search/pages.ts';
import type { VectorPoint, VectorStore } from './vector-store.ts';

/**
 * Maximum number of bytes of a vector component in JSON, including its comma, such as
 * `-0.0000012345678901234567,`.
 */
const BYTES_PER_COMPONENT = 26;
const BYTES_OVERHEAD = 400;

export function toPoints(
  indexId: string,
  { documentId, version, title, metadata }: IndexedDocument,
  chunks: IndexedChunk[],
): Promise<VectorPoint[]> {
  return Promise.all(
    chunks.map(async (chunk) => ({
      id: await derivedId('point', indexId, documentId, version, chunk.position),
      documentId,
      version,
      position: chunk.position,
      nodeId: chunk.id,
      text: chunk.text,
      title,
      metadata,
      pages: pageMetadata(chunk),
      vector: chunk.vector,
    })),
  );
}

/**
 * Splits points into batches that fit into one request. A point that exceeds the limit alone becomes a batch
 * of its own.
 */
export function* splitIntoBatches<Point extends { vector: Float32Array }>(
  points: Point[],
  limits: Pick<VectorStore['limits'], 'points' | 'bytes'>,
): Generator<Point[]> {
  const encoder = new TextEncoder();
  let batch: Point[] = [];
  let bytes = 0;
  for (const point of points) {
    const { vector, ...rest } = point;
    const words = encoder.encode(JSON.stringify(rest)).length;
    const size = BYTES_OVERHEAD + words + vector.length * BYTES_PER_COMPONENT;
    if (batch.length === limits.points || (batch.length > 0 && bytes + size > limits.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(point);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Rejects documents in which two chunks have the same position, because stores treat this differently. */
export function rejectDuplicatePositions({ document, chunks }: WholeDocument): void {
  const positions = new Set(chunks.map(({ position }) => position));
  if (positions.size < chunks.length)
    throw new Conflict(`The document ${document.documentId} has two chunks at the same position`);
}
