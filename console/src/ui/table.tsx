import { Fragment, type ReactNode } from 'react';
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
  detail,
}: {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** What stands below a row, over all columns, while it is open. */
  detail?: (row: Row) => ReactNode;
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
          {rows.map((row) => {
            const below = detail?.(row);
            return (
              <Fragment key={keyOf(row)}>
                <tr>
                  {columns.map(({ key, number, cell }) => (
                    <td key={key} className={number ? styles.number : undefined}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
                {below && (
                  <tr className={styles.detail}>
                    <td colSpan={columns.length}>{below}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
