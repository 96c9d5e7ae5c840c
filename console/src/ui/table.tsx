import type { ReactNode } from 'react';
import styles from './table.module.css';

export interface Column<Row> {
  /** Unique among the columns. */
  key: string;
  header: ReactNode;
  number?: boolean;
  cell: (row: Row) => ReactNode;
}

/** A table that is short enough to be drawn whole; longer ones are grids (grid.tsx). */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map(({ key, header, number }) => (
              <th key={key} scope="col" className={number ? styles.number : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, number, cell }) => (
                <td key={key} className={number ? styles.number : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
