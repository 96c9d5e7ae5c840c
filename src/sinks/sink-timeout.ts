import { type Sink, SinkError } from '#src/ports/sink.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';

/** Waits for an index to answer. Rejects with a retryable SinkError after `silence` seconds. */
export async function waitForIndex<T>(work: Promise<T>, silence: number): Promise<T> {
  try {
    return await withTimeout(work, silence);
  } catch (cause) {
    if (!(cause instanceof TimedOut)) throw cause;
    throw new SinkError(`The index did not answer within ${silence} seconds.`, { retryable: true, cause });
  }
}

/**
 * Wraps a sink so that a call which takes longer than `silence` seconds fails with a retryable error. The
 * store may still complete such a call later, so every method of a sink may be called twice.
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
    // Restoring embeds chunks between its calls, and each call of the store has its own time limit.
    restore: (documentIds, embed) => sink.restore(documentIds, embed),
    // Catching up takes as long as the backlog requires, and each of its steps has its own time limit.
    ...(sink.catchUp && { catchUp: () => sink.catchUp!() }),
    // Deleting a large index takes long, and callers repeat an interrupted deletion.
    drop: () => sink.drop(),
  };
}
