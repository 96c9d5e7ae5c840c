import { useEffect, useRef, useState } from 'react';

/** Milliseconds after the last change, when it is meant. */
const PAUSE_MS = 350;

/** What is being typed or drawn; `commit` gets it after a pause. Another value from outside takes its place. */
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
