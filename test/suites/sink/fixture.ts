import type { Filters, IndexedChunk, IndexedDocument, SinkAnswer } from '#src/ports/index-types.ts';
import type { Sink, SinkCapabilities } from '#src/ports/sink.ts';
import type { LossOrder } from '#test/vendors/losses.ts';
import { chunks, directionOf } from './content.ts';

/** What a store may answer with instead of doing what it is asked. */
export type StoreFailure = 401 | 403 | 404 | 429 | 500 | 'timeout';

export interface SinkFixture {
  /** As errors name it. */
  kind: string;
  capabilities: SinkCapabilities;
  /** A new index without anything in it; each call of the answer opens it as another consumer would. */
  fresh(): () => Sink;
  /** The same of a store outside Sluice that is named no documents, and so is told in its own terms what filters let through. */
  narrowing?(): () => Sink;
  /** A sink whose store fails so, for those failures that its transport can have. */
  failing: { [Failure in StoreFailure]?: (silence?: number) => Sink | Promise<Sink> };
  /** A new index whose store outside Sluice loses data when it is told to; absent where no store is outside. */
  losing?: () => { open: () => Sink; lose(order: LossOrder): Promise<void> };
  /** Calls that are answered without the store; absent: none are. */
  withoutStore?: readonly string[];
  /** Of all filters one in so many is asked: where each costs a request. */
  oneFilterIn?: number;
  /** The place keeps its dimension when an index in it is dropped, since it may hold others. */
  keepsDimension?: boolean;
}

/** Writes a version as ingestion does: in batches that the sink takes, the last of which publishes. */
export async function write(sink: Sink, of: IndexedDocument, all: IndexedChunk[]): Promise<boolean> {
  const { chunks: most, bytes } = sink.capabilities.batch;
  if (all[0]) await sink.ensure(all[0].vector.length);
  let batch: IndexedChunk[] = [];
  let size = 0;
  for (const chunk of all) {
    const length = new TextEncoder().encode(chunk.text).length;
    if (batch.length === most || (batch.length > 0 && size + length > bytes)) {
      await sink.stage(of, batch);
      [batch, size] = [[], 0];
    }
    batch.push(chunk);
    size += length;
  }
  return sink.publish(of, batch, all.length);
}

export function put(
  sink: Sink,
  of: IndexedDocument,
  texts: string[],
  rest: Partial<IndexedChunk> = {},
): Promise<boolean> {
  const all = chunks(of.documentId, of.version, texts).map((chunk) => ({ ...chunk, ...rest }));
  return write(sink, of, all);
}

/** All that the filters let through, nearest first. */
export function nearest(sink: Sink, text: string, k = 100, filters?: Filters): Promise<SinkAnswer> {
  const vector = directionOf(text);
  return sink.query({ vector, denseTopK: k, sparseTopK: 0, ...(filters && { filters }) });
}

export async function idsNear(sink: Sink, text = 'x', filters?: Filters): Promise<string[]> {
  const { dense } = await nearest(sink, text, 100, filters);
  return dense.map(({ id }) => id).sort();
}
