import { onlineManager } from '@tanstack/react-query';
import { type ComponentType, useEffect, useState } from 'react';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import { LoadFailure } from './load-failure.tsx';
import { loadPageAgain } from './load-page-again.ts';

/** A component whose code is loaded when it is first needed. */
export type Loadable<Props> = ComponentType<Props> & {
  /** Loads the code. Rejects if that fails. */
  load: () => Promise<void>;
  isLoaded: () => boolean;
  /**
   * Whether only a reload of the page can load the code. Browsers keep the failure of a module until then, and Vite
   * does not ask again for its styles.
   */
  needsReload: () => boolean;
};

/**
 * Makes a component whose code is loaded when it is first shown. A failure is shown in its place and can be tried again.
 * `isPage`: the component is a whole page, whose heading stands in for a failure.
 */
export function loadable<Props extends object>(
  read: () => Promise<{ default: ComponentType<Props> }>,
  { isPage = false } = {},
): Loadable<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let hasFailed = false;
  const load = async () => {
    if (Loaded) return;
    // Without a connection nothing is asked for, so that no failure is kept.
    if (!onlineManager.isOnline()) throw new Error('There is no connection.');
    try {
      Loaded = (await read()).default;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, when a module is loaded
  function Part(props: Props) {
    const [attempt, setAttempt] = useState(0);
    const [isFailed, setFailed] = useState(false);
    // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads the code once
    useEffect(() => {
      let isShown = true;
      const end = (failed: boolean) => () => {
        if (!isShown) return;
        setFailed(failed);
        setAttempt((before) => before + (failed ? 0 : 1));
      };
      if (!Loaded) load().then(end(false), end(true));
      return () => {
        isShown = false;
      };
    }, [attempt]);
    const retry = () => {
      if (hasFailed) void loadPageAgain();
      else {
        setFailed(false);
        setAttempt(attempt + 1);
      }
    };
    useBackOnline(() => isFailed && !hasFailed && retry());
    if (Loaded) return <Loaded {...props} />;
    if (!isFailed) return <Skeleton />;
    const failure = <LoadFailure onRetry={retry} />;
    return isPage ? <Page title="Page not loaded">{failure}</Page> : failure;
  }
  return Object.assign(Part, { load, isLoaded: () => Loaded !== undefined, needsReload: () => hasFailed });
}

/** Calls `act` when the browser is online again. */
export function useBackOnline(act: () => void): void {
  useEffect(() => onlineManager.subscribe((isOnline) => isOnline && act()));
}
