import { RequestFailure } from './failures.ts';

export interface BodyLimits {
  /** Maximum size of a response body in bytes. */
  most: number;
  /** Maximum time in milliseconds to wait for the next data of a body. */
  silenceMs: number;
  /** Maximum time in milliseconds to read a whole body. */
  wholeMs: number;
}

/**
 * Reads the chunks of a response body. Throws a transient failure if the server stops sending, and a
 * permanent one if the body is too large.
 */
export async function* readChunks(response: Response, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const end = Date.now() + limits.wholeMs;
  let length = 0;
  try {
    while (true) {
      const { done, value } = await withTimeout(
        reader.read(),
        Math.min(limits.silenceMs, Math.max(0, end - Date.now())),
      );
      if (done) return;
      length += value.byteLength;
      if (length > limits.most) throw new RequestFailure(`the content is larger than ${limits.most} bytes`);
      yield value;
    }
  } finally {
    // The cancellation is not awaited, because the server may never react.
    reader.cancel().catch(() => undefined);
  }
}

export async function readText(response: Response, limits: BodyLimits): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(response, limits)) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function withTimeout<Value>(reading: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const failure = new RequestFailure('the transfer stopped or is too slow', { isTransient: true });
    timer = setTimeout(() => reject(failure), limitMs);
  });
  try {
    return await Promise.race([reading, silence]);
  } catch (cause) {
    if (cause instanceof RequestFailure) throw cause;
    throw new RequestFailure('the connection was lost', { isTransient: true });
  } finally {
    clearTimeout(timer);
  }
}
