import { saveTypedText } from './typed-text.ts';

/**
 * Reloads the browser page, or loads another address if one is given. Does nothing if the service cannot be
 * reached, because the browser would replace the console with its own error page.
 */
export async function reloadPage(to?: string): Promise<void> {
  const answer = await fetch('/console/', { cache: 'no-store' }).catch(() => undefined);
  if (!answer?.ok) return;
  if (to !== undefined) {
    location.assign(to);
    return;
  }
  saveTypedText();
  location.reload();
}
