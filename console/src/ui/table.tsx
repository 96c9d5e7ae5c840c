import { Fragment, type ReactNode } from 'react';
import styles from './table.module.css';

export interface Column<Row> {
  key: string;
  header: ReactNode;
  number?: boolean;
  cell: (row: Row) => ReactNode;
}

/** Table whose rows are all rendered. Use `Grid` for long lists. */
export function Table<Row>({
  label,
  columns,
  rows,
  getRowKey,
  detail,
}: {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  getRowKey: (row: Row) => string;
  /** Returns the content shown below a row, across all columns. Empty content is not shown. */
  detail?: (row: Row) => ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
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
              <Fragment key={getRowKey(row)}>
                <tr>
                  {columns.map(({ key, number, cell }) => (
                    <td key={key} dir={number ? undefined : 'auto'} className={number ? styles.number : undefined}>
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
