import { useSyncExternalStore } from 'react';
import { announce } from './announce.tsx';
import { loadOverlays, useOverlays } from './overlays/load.ts';
import type { Notification } from './overlays/toasts.tsx';

let isUsed = false;
const listeners = new Set<() => void>();

/**
 * Tells the user that an action has finished, with a toast that screen readers announce. Errors that need a
 * reaction belong on the page instead, where they stay.
 */
export function notify(text: string, options: Omit<Notification, 'text'> = {}): void {
  isUsed = true;
  for (const listener of listeners) listener();
  // In the next frame, because a toast is lost while nothing shows toasts.
  loadOverlays().then(
    ({ addToast }) => requestAnimationFrame(() => addToast({ text, ...options })),
    () => announce(text),
  );
}

/** Shows the toasts of `notify`. It must be rendered once per page. */
export function Notifications() {
  const isNeeded = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isUsed,
  );
  const overlays = useOverlays(isNeeded);
  return isNeeded && overlays ? <overlays.Toasts /> : null;
}
