import { saveTypedText } from './typed-text.ts';

async function isServiceReachable(signal?: AbortSignal): Promise<boolean> {
  const answer = await fetch('/console/', { cache: 'no-store', ...(signal && { signal }) }).catch(
    () => undefined,
  );
  return answer?.ok ?? false;
}

/** Delays in milliseconds before the service is asked again. They double until they reach the longest. */
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;
/** Time in milliseconds after which a request without an answer is given up, because networks can lose requests. */
const ANSWER_MS = 10_000;

/** Resolves to true as soon as the service answers, and to false when `signal` is aborted. */
export async function waitForService(signal: AbortSignal): Promise<boolean> {
  let delay = FIRST_DELAY_MS;
  while (!signal.aborted) {
    if (await isServiceReachable(AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]))) {
      return !signal.aborted;
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
    delay = Math.min(2 * delay, LONGEST_DELAY_MS);
  }
  return false;
}

/**
 * Reloads the browser page, or loads another address if one is given. Does nothing if the service cannot be
 * reached, because the browser would replace the console with its own error page.
 */
export async function reloadPage(to?: string): Promise<void> {
  if (!(await isServiceReachable())) return;
  if (to !== undefined) {
    location.assign(to);
    return;
  }
  saveTypedText();
  location.reload();
}
