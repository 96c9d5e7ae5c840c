import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { Pieces } from '#src/lib/json/json-pieces.ts';

/**
 * Streams a response while its content is generated. An error after the first chunk closes the connection.
 */
export function streamResponse(
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
        ctx.log.error('streaming a response failed', { error: getErrorMessage(error) });
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

export function streamJson(ctx: Context, pieces: Pieces): Response {
  return streamResponse(ctx, encodePieces(pieces), { 'content-type': 'application/json' });
}

/** Encodes pieces of text as UTF-8 and joins small pieces into larger chunks. */
export async function* encodePieces(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let buffered = '';
  for await (const piece of pieces) {
    buffered += piece;
    if (buffered.length < MIN_CHUNK) continue;
    yield encoder.encode(buffered);
    buffered = '';
  }
  if (buffered !== '') yield encoder.encode(buffered);
}
