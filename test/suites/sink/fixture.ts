import type { Filters, IndexedChunk, IndexedDocument, SinkAnswer } from '#src/ports/index-types.ts';
import type { Sink, SinkCapabilities } from '#src/ports/sink.ts';
import type { LossOrder } from '#test/vendors/losses.ts';
import { chunks, toDirection } from './content.ts';

/** Failures of a store. */
export type StoreFailure = 401 | 403 | 404 | 429 | 500 | 'timeout';

export interface SinkFixture {
  /** Vendor type in error messages. */
  kind: string;
  capabilities: SinkCapabilities;
  /** Creates an empty index and returns a function that opens it as a new consumer. */
  fresh(): () => Sink;
  /** Same as `fresh` for an external store that receives pre-filters instead of document ids. */
  preFilter?(): () => Sink;
  /** Sinks whose store fails, by failure. */
  failing: { [Failure in StoreFailure]?: (silence?: number) => Sink | Promise<Sink> };
  /** Creates an index whose external store can lose data. Omit for stores inside Sluice. */
  losing?: () => { open: () => Sink; lose(order: LossOrder): Promise<void> };
  /** Calls that work without the store. Defaults to none. */
  withoutStore?: readonly string[];
  /**
   * Whether the collection keeps its dimension after an index is dropped, because other indexes may use it.
   */
  keepsDimension?: boolean;
}

/** Writes a version in batches like ingestion. The last batch publishes the version. */
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

/** Returns the nearest chunks that pass the filters. */
export function nearest(sink: Sink, text: string, k = 100, filters?: Filters): Promise<SinkAnswer> {
  const vector = toDirection(text);
  return sink.query({ vector, denseTopK: k, sparseTopK: 0, ...(filters && { filters }) });
}

export async function idsNear(sink: Sink, text = 'x', filters?: Filters): Promise<string[]> {
  const { dense } = await nearest(sink, text, 100, filters);
  return dense.map(({ id }) => id).sort();
}
