import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import type { Pieces } from '#src/lib/json/json-pieces.ts';

/** Sends a response while it is being read. A failure after the beginning breaks the connection. */
export function streamed(
  ctx: Context,
  chunks: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
): Response {
  const reading = chunks[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reading.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        ctx.log.error('an answer broke off', { error: messageOf(error) });
        controller.error(error);
      }
    },
    async cancel() {
      await reading.return?.();
    },
  });
  return new Response(body, { headers });
}

const MIN_CHUNK = 16 * 1024;

export function streamedJson(ctx: Context, pieces: Pieces): Response {
  return streamed(ctx, encoded(pieces), { 'content-type': 'application/json' });
}

/** Joins small pieces. */
async function* encoded(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let held = '';
  for await (const piece of pieces) {
    held += piece;
    if (held.length < MIN_CHUNK) continue;
    yield encoder.encode(held);
    held = '';
  }
  if (held !== '') yield encoder.encode(held);
}
