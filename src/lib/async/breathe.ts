/** Between stretches of work that nothing interrupts: timers and other requests run, then `checkpoint` may throw. */
export async function breathe(checkpoint: () => Promise<void>): Promise<void> {
  await scheduler.wait(0);
  await checkpoint();
}
