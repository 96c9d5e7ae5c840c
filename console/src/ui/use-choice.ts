import { useCallback, useMemo, useRef, useState } from 'react';

/** Selection in a grid: either individual rows, or all rows that match the query. */
export interface Choice<Row> {
  isAll: boolean;
  count: number;
  has: (key: string) => boolean;
  /** Individually selected rows by key. Empty if all rows are selected at once. */
  rows: ReadonlyMap<string, Row>;
  toggle: (row: Row) => void;
  /** Adds the rows between two positions, unless the selection changes before they are loaded. */
  chooseRange: (from: number, to: number) => Promise<void>;
  chooseAll: () => void;
  clear: () => void;
}

interface ChoiceProps<Row> {
  /** Number of rows that match the current query of the grid. */
  total: number;
  getRowKey: (row: Row) => string;
  /** Returns the rows from position `first` to `last`. Rows that are missing are loaded first. */
  rowsBetween: (first: number, last: number) => Promise<Row[]>;
}

export function useChoice<Row>({ total, getRowKey, rowsBetween }: ChoiceProps<Row>): Choice<Row> {
  const [isAll, setAll] = useState(false);
  const [rows, setRows] = useState<ReadonlyMap<string, Row>>(new Map());
  /** Number of changes so far. Rows of a range that arrive after a later change are not selected. */
  const changes = useRef(0);
  const clear = useCallback(() => {
    changes.current += 1;
    setAll(false);
    setRows(new Map());
  }, []);
  return useMemo(
    () => ({
      isAll: isAll && total > 0,
      count: isAll ? total : rows.size,
      has: (key) => isAll || rows.has(key),
      rows,
      toggle(row) {
        changes.current += 1;
        const next = isAll ? new Map<string, Row>() : new Map(rows);
        const key = getRowKey(row);
        if (!next.delete(key)) next.set(key, row);
        setAll(false);
        setRows(next);
      },
      async chooseRange(from, to) {
        changes.current += 1;
        const change = changes.current;
        const between = await rowsBetween(Math.min(from, to), Math.max(from, to));
        if (change !== changes.current) return;
        setAll(false);
        setRows((before) => new Map([...before, ...between.map((row) => [getRowKey(row), row] as const)]));
      },
      chooseAll() {
        changes.current += 1;
        setRows(new Map());
        setAll(true);
      },
      clear,
    }),
    [isAll, total, rows, getRowKey, rowsBetween, clear],
  );
}
