import { useSyncExternalStore } from 'react';
import type { AroundNavHandler } from 'wouter';
import { reloadPage } from './reload-page.ts';
import { findScreen } from './screens.tsx';

/** Navigation to a screen whose code is still loading or could not be loaded. */
interface PendingStep {
  state: 'loading' | 'failed';
  retry: () => void;
  /** True if `retry` reloads the whole browser page. */
  needsReload: () => boolean;
}

let pending: PendingStep | undefined;
let steps = 0;
const listeners = new Set<() => void>();

function setPending(next: PendingStep | undefined): void {
  pending = next;
  for (const listener of listeners) listener();
}

/**
 * Loads the code of a screen before the address changes. If loading fails, the user stays on the current page
 * with all typed text and can retry.
 */
export const navigateWhenLoaded: AroundNavHandler = (navigate, to, options) => {
  steps += 1;
  const step = steps;
  const screen = findScreen(to);
  if (!screen || screen.isLoaded()) {
    if (pending) setPending(undefined);
    navigate(to, options);
    return;
  }
  const from = location.href;
  const retry = () => {
    if (screen.needsReload()) void reloadPage(to);
    else navigateWhenLoaded(navigate, to, options);
  };
  const needsReload = screen.needsReload;
  setPending({ state: 'loading', retry, needsReload });
  screen.load().then(
    () => {
      // A later navigation, or the browser's Back button, has replaced this one while the code was loading.
      if (step !== steps) return;
      setPending(undefined);
      if (location.href === from) navigate(to, options);
    },
    () => step === steps && setPending({ state: 'failed', retry, needsReload }),
  );
};

export function dismissPendingStep(): void {
  steps += 1;
  setPending(undefined);
}

/** Returns the navigation that has not finished yet, or `undefined` if there is none. */
export function usePendingStep(): PendingStep | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );
}
