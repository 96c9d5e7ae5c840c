import { useEffect, useRef, useState } from 'react';

/**
 * Returns the value once its key has stayed the same for `ms` milliseconds. Until then, the value of the previous
 * key is returned. A new value with the same key is returned at once.
 */
export function useSettled<Value>(value: Value, key: string, ms: number): Value {
  const [settledKey, setSettledKey] = useState(key);
  const settled = useRef(value);
  useEffect(() => {
    if (key === settledKey) return;
    const timer = setTimeout(() => setSettledKey(key), ms);
    return () => clearTimeout(timer);
  }, [key, settledKey, ms]);
  if (key === settledKey) settled.current = value;
  return settled.current;
}
