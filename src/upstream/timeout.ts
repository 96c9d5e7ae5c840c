/** What was waited for did not come. */
export class Silence extends Error {
  override readonly name = 'Silence';
}

/** Waits for `work` no longer than `seconds`; then rejects with Silence and leaves it to itself. */
export async function within<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Silence(`nothing came for ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
