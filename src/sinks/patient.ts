import { type Sink, SinkError } from '#src/ports/sink.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';

/** Waits for a store's answer; silence of so many seconds fails with an error worth a retry. */
export async function patiently<T>(kind: string, work: Promise<T>, silence: number): Promise<T> {
  try {
    return await withTimeout(work, silence);
  } catch (cause) {
    if (!(cause instanceof TimedOut)) throw cause;
    throw new SinkError(`The index (${kind}) did not answer: ${cause.message}.`, { retryable: true, cause });
  }
}

/**
 * A sink that is waited for `silence` seconds a call: one that hangs fails with an error worth a retry instead
 * of holding its caller. What hung may still be done later, which is why every method may be called twice.
 */
export function patientSink(sink: Sink, silence: number): Sink {
  const wait = <T>(work: Promise<T>): Promise<T> => patiently(sink.kind, work, silence);
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
    chunksOf: (documentId, page) => wait(sink.chunksOf(documentId, page)),
    chunk: (id) => wait(sink.chunk(id)),
    stats: () => wait(sink.stats()),
    compare: () => wait(sink.compare()),
    // Embeds chunks meanwhile; each of its calls of the store has a time limit of its own.
    restore: (documentIds, embed) => sink.restore(documentIds, embed),
    // Takes as long as there is much to catch up on, and each of its steps is waited for by itself.
    ...(sink.catchUp && { catchUp: () => sink.catchUp!() }),
    // Emptying a large index takes its time, and whoever asks for it comes back to it.
    drop: () => sink.drop(),
  };
}
