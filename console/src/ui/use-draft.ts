import { useEffect, useRef, useState } from 'react';

/** Delay in milliseconds between the last change of a draft and the call of `commit`. */
const PAUSE_MS = 350;

/**
 * Keeps a draft of a value while the user edits it, and calls `commit` after a pause in editing. If `value`
 * changes elsewhere, it replaces the draft.
 */
export function useDraft<Value>(
  value: Value,
  commit: (value: Value) => void,
): [Value, (value: Value) => void] {
  const [draft, setDraft] = useState(value);
  const latest = useRef(commit);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = commit;
  });
  useEffect(() => {
    clearTimeout(timer.current);
    setDraft(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: Value) => {
    setDraft(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(next), PAUSE_MS);
  };
  return [draft, change];
}
