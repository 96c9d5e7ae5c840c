import { RequestFailure } from './failures.ts';

export interface BodyLimits {
  /** Bytes. */
  most: number;
  /** Milliseconds without a byte. */
  silenceMs: number;
  /** Milliseconds until the last byte, however steadily they drip. */
  wholeMs: number;
}

/**
 * The chunks of an answer's body, at most `most` bytes. A body that goes silent ends with an error, which may pass.
 */
export async function* chunksOf(response: Response, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const end = Date.now() + limits.wholeMs;
  let length = 0;
  try {
    while (true) {
      const { done, value } = await inTime(
        reader.read(),
        Math.min(limits.silenceMs, Math.max(0, end - Date.now())),
      );
      if (done) return;
      length += value.byteLength;
      if (length > limits.most) throw new RequestFailure(`it is larger than ${limits.most} bytes`);
      yield value;
    }
  } finally {
    // Not awaited: the other side may never notice.
    reader.cancel().catch(() => undefined);
  }
}

export async function textOf(response: Response, limits: BodyLimits): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(response, limits)) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function inTime<Value>(reading: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const failure = new RequestFailure('its bytes stopped coming, or come too slowly', { passing: true });
    timer = setTimeout(() => reject(failure), limitMs);
  });
  try {
    return await Promise.race([reading, silence]);
  } catch (cause) {
    if (cause instanceof RequestFailure) throw cause;
    throw new RequestFailure('the connection broke off', { passing: true });
  } finally {
    clearTimeout(timer);
  }
}
