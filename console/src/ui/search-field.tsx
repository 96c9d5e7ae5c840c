import { useEffect, useRef, useState } from 'react';
import { TextField } from './field.tsx';

const PAUSE_MS = 250;

/** Search field that reports its text after a pause in typing. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const reported = useRef(value);
  const report = useRef(onSearch);
  report.current = onSearch;
  useEffect(() => {
    if (typed === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = typed;
      report.current(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  // Shows a search text that was changed elsewhere, for example by the browser's Back button.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextField
      type="search"
      label={label}
      hideLabel
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
