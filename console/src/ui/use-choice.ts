import { useCallback, useMemo, useState } from 'react';

/** What is chosen of a grid: rows by their keys, or all that match its query. */
export interface Choice<Row> {
  isAll: boolean;
  count: number;
  has: (key: string) => boolean;
  /** The rows by key; empty when all are chosen. */
  rows: ReadonlyMap<string, Row>;
  toggle: (row: Row) => void;
  chooseRange: (from: number, to: number) => Promise<void>;
  chooseAll: () => void;
  clear: () => void;
}

interface ChoiceProps<Row> {
  /** Of all that match. */
  total: number;
  keyOf: (row: Row) => string;
  /** The rows from `first` to `last`, read where they are not there yet. */
  rowsBetween: (first: number, last: number) => Promise<Row[]>;
}

export function useChoice<Row>({ total, keyOf, rowsBetween }: ChoiceProps<Row>): Choice<Row> {
  const [isAll, setAll] = useState(false);
  const [rows, setRows] = useState<ReadonlyMap<string, Row>>(new Map());
  const clear = useCallback(() => {
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
        const next = isAll ? new Map<string, Row>() : new Map(rows);
        const key = keyOf(row);
        if (!next.delete(key)) next.set(key, row);
        setAll(false);
        setRows(next);
      },
      async chooseRange(from, to) {
        const between = await rowsBetween(Math.min(from, to), Math.max(from, to));
        setAll(false);
        setRows((before) => new Map([...before, ...between.map((row) => [keyOf(row), row] as const)]));
      },
      chooseAll() {
        setRows(new Map());
        setAll(true);
      },
      clear,
    }),
    [isAll, total, rows, keyOf, rowsBetween, clear],
  );
}
