/** What was waited for did not come in time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Waits for `work` no longer than `seconds`; then rejects with TimedOut and leaves the work to itself. */
export async function withTimeout<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`nothing came for ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
