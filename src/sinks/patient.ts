import { Upstream } from '#src/errors.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import type { Sink } from './sink.ts';

/**
 * A sink that is waited for `silence` seconds a call: one that hangs fails with an error worth a retry instead
 * of holding its caller. What hung may still be done later, which is why every method may be called twice.
 */
export function patientSink(sink: Sink, silence: number): Sink {
  const patiently = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await withTimeout(work, silence);
    } catch (cause) {
      if (!(cause instanceof TimedOut)) throw cause;
      throw new Upstream(`The index (${sink.kind}) did not answer: ${cause.message}.`, {
        retryable: true,
        cause,
      });
    }
  };
  const { finish } = sink;
  return {
    kind: sink.kind,
    batchSize: sink.batchSize,
    stage: (document, chunks) => patiently(sink.stage(document, chunks)),
    ...(finish && {
      finish: (document, chunks, count) => patiently(finish(document, chunks, count)),
    }),
    publish: (documentId, version, count) => patiently(sink.publish(documentId, version, count)),
    describe: (document) => patiently(sink.describe(document)),
    remove: (documentIds, version) => patiently(sink.remove(documentIds, version)),
    query: (query) => patiently(sink.query(query)),
    chunksOf: (documentId, page) => patiently(sink.chunksOf(documentId, page)),
    stats: () => patiently(sink.stats()),
    // Emptying a large index takes its time, and whoever asks for it comes back to it.
    drop: () => sink.drop(),
  };
}
