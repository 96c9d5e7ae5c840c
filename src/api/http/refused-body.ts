/** How long the rest of the body of a refused request is read, and dropped. */
const LONGEST_MS = 10_000;
/** More than a request may have on most plans of the platform: who announced less and sends more is not waited for. */
export const MOST_DROPPED_BYTES = 128 * 2 ** 20;

/**
 * Reads what is still to come of a body that nobody wants: who still sends when the connection ends never sees the
 * answer. Gives up on who takes too long or has too much.
 */
export async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body || body.locked) return;
  const reader = body.getReader();
  const over = scheduler.wait(LONGEST_MS).then(() => undefined);
  const next = () => Promise.race([reader.read(), over]);
  let dropped = 0;
  try {
    let read = await next();
    while (read && !read.done && dropped < MOST_DROPPED_BYTES) {
      dropped += read.value.byteLength;
      read = await next();
    }
    if (!read?.done) await reader.cancel();
  } catch {
    // Who sent it is gone.
  }
}
