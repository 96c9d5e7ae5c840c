import { TimedOut, withTimeout } from './timeout.ts';

/** A body that grew past what it may hold. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

export interface Watch {
  silenceSeconds: number;
  /** When the whole exchange must have ended, as Date.now() tells it. */
  end: number;
  maxBytes: number;
  /** Ends the body when the caller gives up. */
  signal: AbortSignal | undefined;
  /** Makes the error that readers see. */
  fail(cause: unknown): unknown;
  /** Called once the body ended, broke off or was cancelled before its end. */
  close(isWhole: boolean): void;
}

/**
 * The same bytes, read only as they are asked for, and ended when they fall silent, take too long or are too many.
 * Between two reads no timer runs, so that an answer nobody reads holds nothing.
 */
export function watchedBody(
  body: ReadableStream<Uint8Array>,
  announced: number,
  watch: Watch,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  const give = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (announced > watch.maxBytes) throw tooLarge(watch);
    const { done, value } = await untilAborted(next(reader, watch), watch.signal);
    if (done) {
      watch.close(true);
      return controller.close();
    }
    size += value.byteLength;
    if (size > watch.maxBytes) throw tooLarge(watch);
    controller.enqueue(value);
  };
  const drop = async () => {
    watch.close(false);
    await reader.cancel().catch(() => {});
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await give(controller);
        } catch (cause) {
          controller.error(watch.signal?.aborted ? watch.signal.reason : watch.fail(cause));
          void drop();
        }
      },
      cancel: drop,
    },
    { highWaterMark: 0 },
  );
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>, { silenceSeconds, end }: Watch) {
  const left = (end - Date.now()) / 1000;
  if (left <= 0) throw new TimedOut('it took too long');
  return withTimeout(reader.read(), Math.min(silenceSeconds, left)).catch((cause: unknown) => {
    throw cause instanceof TimedOut && left < silenceSeconds ? new TimedOut('it took too long') : cause;
  });
}

const tooLarge = ({ maxBytes }: Watch) => new BodyTooLarge(`it has more than ${maxBytes} bytes`);

/** Waits for `work`, or rejects with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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
