import { useCallback, useState } from 'react';

const kept = new Map<string, unknown>();

/**
 * State that outlives its component, such as a draft that is still there after the browser's Back button. It
 * is kept in the memory of the tab until the page is reloaded. `forget` resets the state and no longer keeps
 * it.
 */
export function useKept<Value>(
  key: string,
  initial: Value,
): [value: Value, set: (change: Value | ((before: Value) => Value)) => void, forget: () => void] {
  const [value, setValue] = useState(() => (kept.has(key) ? (kept.get(key) as Value) : initial));
  const set = useCallback(
    (change: Value | ((before: Value) => Value)) =>
      setValue((before) => {
        const next = typeof change === 'function' ? (change as (before: Value) => Value)(before) : change;
        kept.set(key, next);
        return next;
      }),
    [key],
  );
  const forget = useCallback(() => {
    kept.delete(key);
    setValue(initial);
  }, [key, initial]);
  return [value, set, forget];
}
