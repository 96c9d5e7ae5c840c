import { keepTypedText } from './typed-text.ts';

/**
 * Loads the page of the browser anew, at another address if one is given. Does nothing while the service cannot be
 * reached, because the browser would leave the console for an error page of its own.
 */
export async function loadPageAgain(to?: string): Promise<void> {
  const answer = await fetch('/console/', { cache: 'no-store' }).catch(() => undefined);
  if (!answer?.ok) return;
  if (to !== undefined) {
    location.assign(to);
    return;
  }
  keepTypedText();
  location.reload();
}
