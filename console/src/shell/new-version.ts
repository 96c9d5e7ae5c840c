import { useSyncExternalStore } from 'react';

let isAvailable = false;
const listeners = new Set<() => void>();

function setAvailable(next: boolean): void {
  isAvailable = next;
  for (const listener of listeners) listener();
}

export const dismissNewVersion = () => setAvailable(false);

/**
 * Listens for `vite:preloadError`, which Vite dispatches when a part of the console cannot be loaded. The
 * event's payload is the error.
 */
export function watchForNewVersion(): void {
  addEventListener('vite:preloadError', (event) => {
    const { payload } = event as Event & { payload?: unknown };
    void isReplaced(payload).then((found) => found && setAvailable(true));
  });
}

/**
 * Returns true if the service has another version of the console than the one that is running. Returns false
 * if the service cannot be reached.
 */
async function isReplaced(error: unknown): Promise<boolean> {
  try {
    const page = await fetch('/console/', { cache: 'no-store' });
    if (!page.ok) return false;
    const script = document.querySelector('script[type=module][src]')?.getAttribute('src');
    if (script && !(await page.text()).includes(script)) return true;
    // File names contain a hash of the content, so a file that no longer exists belonged to another version.
    const missing = /\S*\/console\/assets\/\S+/.exec(error instanceof Error ? error.message : '')?.[0];
    return (
      missing !== undefined && (await fetch(missing, { method: 'HEAD', cache: 'no-store' })).status === 404
    );
  } catch {
    return false;
  }
}

export function useNewVersion(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isAvailable,
  );
}
