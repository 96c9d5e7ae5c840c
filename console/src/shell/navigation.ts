import { useSyncExternalStore } from 'react';
import type { AroundNavHandler } from 'wouter';
import { reloadPage } from './reload-page.ts';
import { findScreen } from './screens.tsx';

/** Navigation that has to wait for the code of a screen, or whose code could not be loaded. */
interface PendingStep {
  state: 'loading' | 'failed';
  retry: () => void;
  /** Returns true if `retry` has to reload the whole browser page. */
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
      // While the code was loading, the user went to another page, so this navigation is ignored.
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
