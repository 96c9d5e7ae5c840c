import { type Sink, SinkError } from '#src/ports/sink.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';

/** Waits for a call of a data sink. Rejects with a retryable SinkError after `silence` seconds. */
export async function waitForIndex<T>(work: Promise<T>, silence: number): Promise<T> {
  try {
    return await withTimeout(work, silence);
  } catch (cause) {
    if (!(cause instanceof TimedOut)) throw cause;
    throw new SinkError(`The index did not answer within ${silence} seconds.`, { retryable: true, cause });
  }
}

/**
 * Wraps a data sink so that a call fails with a retryable error after `silence` seconds. The store may still
 * complete such a call. Every method of a data sink must therefore be safe to call twice.
 */
export function withSinkTimeout(sink: Sink, silence: number): Sink {
  const wait = <T>(work: Promise<T>): Promise<T> => waitForIndex(work, silence);
  return {
    kind: sink.kind,
    capabilities: sink.capabilities,
    ensure: (dimension) => wait(sink.ensure(dimension)),
    stage: (document, chunks) => wait(sink.stage(document, chunks)),
    publish: (document, lastChunks, count) => wait(sink.publish(document, lastChunks, count)),
    publishMany: (documents) => wait(sink.publishMany(documents)),
    describe: (document) => wait(sink.describe(document)),
    remove: (documentIds, version) => wait(sink.remove(documentIds, version)),
    query: (query) => wait(sink.query(query)),
    listChunks: (documentId, page) => wait(sink.listChunks(documentId, page)),
    chunk: (id) => wait(sink.chunk(id)),
    stats: () => wait(sink.stats()),
    compare: () => wait(sink.compare()),
    // `restore` has no time limit as a whole, because it also embeds chunks. Each of its calls to the store
    // has a time limit.
    restore: (documentIds, embed) => sink.restore(documentIds, embed),
    // `catchUp` has no time limit as a whole, because its duration depends on the backlog. Each of its steps
    // has a time limit.
    ...(sink.catchUp && { catchUp: () => sink.catchUp!() }),
    // `drop` has no time limit, because deleting a large index takes long. Callers repeat an interrupted
    // deletion.
    drop: () => sink.drop(),
  };
}
