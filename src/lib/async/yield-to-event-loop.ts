/**
 * Lets timers and other requests run between long synchronous work, then calls `checkpoint`, which may throw.
 */
export async function yieldToEventLoop(checkpoint: () => Promise<void>): Promise<void> {
  await scheduler.wait(0);
  await checkpoint();
}
