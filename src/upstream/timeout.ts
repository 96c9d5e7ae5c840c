/** Thrown if a time limit is exceeded. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Waits for `work` up to a number of seconds, then rejects with TimedOut. The work itself is not stopped. */
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
