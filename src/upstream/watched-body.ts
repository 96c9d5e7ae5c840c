import { TimedOut, withTimeout } from './timeout.ts';

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

export interface BodyMonitor {
  silenceSeconds: number;
  /** Deadline of the whole call in milliseconds since 1970. */
  end: number;
  maxBytes: number;
  /** Signal by which the caller aborts reading the body. */
  signal: AbortSignal | undefined;
  /** Creates the error that readers of the body receive. */
  fail(cause: unknown): unknown;
  /** Called when the body ends, fails or is cancelled. `isWhole` is true only if the body ended normally. */
  close(isWhole: boolean): void;
}

/**
 * Returns a response body with limits. Reading fails if no data arrives for too long, the whole takes too
 * long, or the body is too large. Data is read only on demand, and no timer runs between two reads. An unread
 * body therefore uses no resources.
 */
export function monitorBody(
  body: ReadableStream<Uint8Array>,
  announced: number,
  watch: BodyMonitor,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  const pullNext = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (announced > watch.maxBytes) throw createTooLargeError(watch);
    const { done, value } = await raceAbort(readNext(reader, watch), watch.signal);
    if (done) {
      watch.close(true);
      return controller.close();
    }
    size += value.byteLength;
    if (size > watch.maxBytes) throw createTooLargeError(watch);
    controller.enqueue(value);
  };
  const cancelBody = async () => {
    watch.close(false);
    await reader.cancel().catch(() => {});
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await pullNext(controller);
        } catch (cause) {
          controller.error(watch.signal?.aborted ? watch.signal.reason : watch.fail(cause));
          void cancelBody();
        }
      },
      cancel: cancelBody,
    },
    { highWaterMark: 0 },
  );
}

async function readNext(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { silenceSeconds, end }: BodyMonitor,
) {
  const left = (end - Date.now()) / 1000;
  if (left <= 0) throw new TimedOut('it took longer than allowed');
  return withTimeout(reader.read(), Math.min(silenceSeconds, left)).catch((cause: unknown) => {
    throw cause instanceof TimedOut && left < silenceSeconds
      ? new TimedOut('it took longer than allowed')
      : cause;
  });
}

const createTooLargeError = ({ maxBytes }: BodyMonitor) =>
  new BodyTooLarge(`it has more than ${maxBytes} bytes`);

/** Waits for `work`. Rejects with the reason of the abort signal as soon as the signal is aborted. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  work.catch(() => {});
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
