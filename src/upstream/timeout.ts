export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/**
 * Waits for `work`. Rejects with TimedOut after the given number of seconds. The work itself is not stopped.
 */
export async function withTimeout<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`no data arrived for ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
