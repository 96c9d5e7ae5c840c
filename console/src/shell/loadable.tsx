import { onlineManager } from '@tanstack/react-query';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/messages.ts';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import { LoadFailure } from './load-failure.tsx';
import { reloadPage, waitForService } from './reload-page.ts';

/** Component whose code is loaded when it is first needed. */
export type Loadable<Props> = ComponentType<Props> & {
  load: () => Promise<void>;
  isLoaded: () => boolean;
  /**
   * Returns true if the code can only be loaded after a page reload. Browsers keep failed modules until a
   * reload, and Vite does not request their styles again.
   */
  needsReload: () => boolean;
};

/** Title and links that a page shows before its code has loaded. */
interface PageFrame {
  getTitle?: () => string;
  getBreadcrumbs?: () => { to: string; label: string }[];
}

/**
 * Creates a component whose code is loaded when it is first shown. A failed load shows an error with a retry
 * button. With `getTitle`, the component is a whole page, which has this heading while it is loading. Titles
 * are read while rendering, so that they follow the language.
 */
export function loadable<Props extends object>(
  read: () => Promise<{ default: ComponentType<Props> }>,
  { getTitle, getBreadcrumbs }: PageFrame = {},
): Loadable<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let hasFailed = false;
  const load = async () => {
    if (Loaded) return;
    // While the browser is offline, no import is attempted. The browser would remember the module as failed
    // even after reconnecting.
    if (!onlineManager.isOnline()) throw new Error(t('The browser is offline.'));
    try {
      Loaded = (await read()).default;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called once per component, at module level
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
      if (hasFailed) void reloadPage();
      else {
        setFailed(false);
        setAttempt(attempt + 1);
      }
    };
    useOnReconnect(isFailed && !hasFailed, retry);
    if (Loaded) return <Loaded {...props} />;
    if (!isFailed) {
      return getTitle === undefined ? (
        <Skeleton />
      ) : (
        <PagePlaceholder title={getTitle()} breadcrumbs={getBreadcrumbs?.() ?? []} />
      );
    }
    const failure = <LoadFailure onRetry={retry} />;
    return getTitle !== undefined ? <Page title={t('Page not loaded')}>{failure}</Page> : failure;
  }
  return Object.assign(Part, { load, isLoaded: () => Loaded !== undefined, needsReload: () => hasFailed });
}

/** Frame of a page whose code or data is loading, so that nothing moves when the page appears. */
function PagePlaceholder({
  title,
  breadcrumbs,
}: {
  title: string;
  breadcrumbs: { to: string; label: string }[];
}) {
  return (
    <Page title={title} {...(breadcrumbs.length > 0 && { breadcrumbs })}>
      <Skeleton rows={8} />
    </Page>
  );
}

/**
 * Calls `act` when the browser is online again and the service answers. The network may not work yet when the browser
 * reports that it is online, and a failed import would be remembered. Does nothing while `isNeeded` is false.
 */
export function useOnReconnect(isNeeded: boolean, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isNeeded) return;
    let waiting = new AbortController();
    const unsubscribe = onlineManager.subscribe((isOnline) => {
      waiting.abort();
      if (!isOnline) return;
      waiting = new AbortController();
      void waitForService(waiting.signal).then((isReachable) => isReachable && latest.current());
    });
    return () => {
      waiting.abort();
      unsubscribe();
    };
  }, [isNeeded]);
}
