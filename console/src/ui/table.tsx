// biome-ignore-all lint/a11y/noRedundantRoles: as blocks, in narrow windows, the elements lose their own roles
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
  // Rows are cards in narrow windows. The roles keep the table a table for screen readers, whatever CSS makes of it.
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={styles.frame} aria-label={label} tabIndex={0} data-table>
      <table className={styles.table} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, header, number }) => (
              <th key={key} scope="col" role="columnheader" className={number ? styles.number : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const below = detail?.(row);
            return (
              <Fragment key={getRowKey(row)}>
                <tr role="row">
                  {columns.map(({ key, header, number, cell }) => (
                    <td
                      key={key}
                      role="cell"
                      dir={number ? undefined : 'auto'}
                      data-label={typeof header === 'string' ? header : undefined}
                      className={number ? styles.number : undefined}
                    >
                      {cell(row)}
                    </td>
                  ))}
                </tr>
                {below && (
                  <tr className={styles.detail} role="row">
                    <td colSpan={columns.length} role="cell">
                      {below}
                    </td>
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
