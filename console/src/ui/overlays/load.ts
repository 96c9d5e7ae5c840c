import { useEffect, useSyncExternalStore } from 'react';

type Overlays = typeof import('./overlays.tsx');

let loaded: Overlays | undefined;
let loading: Promise<Overlays> | undefined;
const listeners = new Set<() => void>();

/**
 * Loads the code of menus, popovers, tooltips and toasts, which is not part of the initial bundle. A failed
 * load is tried again by the next call.
 */
export function loadOverlays(): Promise<Overlays> {
  loading ??= import('./overlays.tsx').then(
    (overlays) => {
      loaded = overlays;
      for (const listener of listeners) listener();
      return overlays;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/**
 * Loads the overlays when the browser has nothing else to do, so that a menu opens at once, and also opens
 * while the browser is offline.
 */
export function preloadOverlays(): void {
  const load = () => void loadOverlays().catch(() => {});
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 5000 });
  else setTimeout(load, 1500);
}

/**
 * Returns the code of the overlays, or `undefined` while it is not loaded. Loads it if `isNeeded` is true.
 */
export function useOverlays(isNeeded: boolean): Overlays | undefined {
  useEffect(() => {
    if (isNeeded && !loaded) void loadOverlays().catch(() => {});
  }, [isNeeded]);
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => loaded,
  );
}
