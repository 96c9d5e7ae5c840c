import { useMemo, useRef, useState } from 'react';
import type { Item } from './columns.ts';

interface KeptRows {
  rows: readonly Item[];
  /** Number of rows that are not in the list itself. */
  added: number;
  /** Replaces a kept file after its review was saved. */
  replace: (item: Item) => void;
}

/**
 * Adds the files of the jobs `one` and `other` to the rows if a new read no longer lists them, in the order of
 * the batch. The row with the focus and the row that is being edited thus stay until the user leaves them. A
 * file whose job was replaced by a retry is not kept.
 */
export function useKeptRows(
  listed: readonly Item[],
  one: string | undefined,
  other: string | undefined,
): KeptRows {
  const seen = useRef<ReadonlyMap<string, Item>>(new Map());
  const [saves, setSaves] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a save changes a row that only `seen` has
  const rows = useMemo(() => {
    const kept = new Map<string, Item>();
    for (const id of [one, other]) {
      const item = id && (listed.find(({ job_id }) => job_id === id) ?? seen.current.get(id));
      if (item) kept.set(item.job_id, item);
    }
    seen.current = kept;
    const missing = [...kept.values()].filter(
      (item) => !listed.some(({ position }) => position === item.position),
    );
    if (missing.length === 0) return listed;
    return [...listed, ...missing].sort((before, after) => before.position - after.position);
  }, [listed, one, other, saves]);
  const replace = (item: Item) => {
    if (!seen.current.has(item.job_id)) return;
    seen.current = new Map(seen.current).set(item.job_id, item);
    setSaves((count) => count + 1);
  };
  return { rows, added: rows.length - listed.length, replace };
}
