import { useEffect, useRef, useState } from 'react';
import { TextField } from './field.tsx';

const PAUSE_MS = 250;

/** Tells what is searched for when one has paused in typing it. */
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
  const told = useRef(value);
  const tell = useRef(onSearch);
  tell.current = onSearch;
  useEffect(() => {
    if (typed === told.current) return;
    const timer = setTimeout(() => {
      told.current = typed;
      tell.current(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  // Another search by the address of the page, as when one goes back.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
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
