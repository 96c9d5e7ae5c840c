/** Maximum size of a chat request in bytes. A request contains the whole conversation with its pictures as base64. */
export const LIMIT_BYTES = 16 * 1024 * 1024;

/** Headers of a stream of server-sent events. */
export const EVENTS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/**
 * Returns texts as a stream of bytes while they are generated. Cancelling the stream stops the answer that `source`
 * contains.
 */
export function streamText(
  texts: AsyncGenerator<string, void>,
  source: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await Promise.all([texts.return(), source.locked ? undefined : source.cancel()]);
      },
    },
    { highWaterMark: 0 },
  );
}
