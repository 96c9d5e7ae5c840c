import { useSyncExternalStore } from 'react';

const QUERY = '(max-width: 640px)';

function subscribe(onChange: () => void): () => void {
  const media = matchMedia(QUERY);
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
}

/** Returns whether the window is too narrow for a table. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches);
