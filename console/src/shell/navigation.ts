import { useSyncExternalStore } from 'react';
import type { AroundNavHandler } from 'wouter';
import { loadPageAgain } from './load-page-again.ts';
import { findScreen } from './screens.tsx';

/** A step to a screen whose code is being loaded, or could not be loaded. */
interface PendingStep {
  state: 'loading' | 'failed';
  retry: () => void;
  /** Whether `retry` loads the whole page of the browser anew. */
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
 * Loads the code of a screen before the address changes. If that fails, the user stays on the present page with all that
 * was typed there, and can try again.
 */
export const goWhenLoaded: AroundNavHandler = (navigate, to, options) => {
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
    if (screen.needsReload()) void loadPageAgain(to);
    else goWhenLoaded(navigate, to, options);
  };
  const needsReload = screen.needsReload;
  setPending({ state: 'loading', retry, needsReload });
  screen.load().then(
    () => {
      // A later step, or the browser's own "back", has led elsewhere meanwhile.
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

/** Returns the step that has not arrived yet, or `undefined` if there is none. */
export function usePendingStep(): PendingStep | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );
}
