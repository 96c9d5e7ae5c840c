import { saveTypedText } from './typed-text.ts';

async function isServiceReachable(signal?: AbortSignal): Promise<boolean> {
  const answer = await fetch('/console/', { cache: 'no-store', ...(signal && { signal }) }).catch(
    () => undefined,
  );
  return answer?.ok ?? false;
}

/** Delays in milliseconds before the service is asked again. */
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000];

/**
 * Resolves to true as soon as the service answers. Resolves to false after several attempts without an answer, or when
 * `signal` is aborted.
 */
export async function waitForService(signal: AbortSignal): Promise<boolean> {
  for (const delay of [...RETRY_DELAYS_MS, undefined]) {
    if (await isServiceReachable(signal)) return !signal.aborted;
    if (delay === undefined || signal.aborted) break;
    await new Promise((resolve) => setTimeout(resolve, delay));
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
