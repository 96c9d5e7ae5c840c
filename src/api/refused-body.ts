/** How long the rest of the body of a refused request is read, and dropped. */
const LONGEST_MS = 10_000;

/**
 * Reads what is still to come of a body that nobody wants: who still sends when the connection ends never sees the
 * answer. Gives up on who takes too long.
 */
export async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body || body.locked) return;
  const reader = body.getReader();
  const over = scheduler.wait(LONGEST_MS).then(() => undefined);
  try {
    let read = await Promise.race([reader.read(), over]);
    while (read && !read.done) read = await Promise.race([reader.read(), over]);
    if (!read) await reader.cancel();
  } catch {
    // Who sent it is gone.
  }
}
