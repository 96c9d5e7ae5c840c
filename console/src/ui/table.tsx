// biome-ignore-all lint/a11y/noRedundantRoles: as blocks, in narrow windows, the elements lose their own roles
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import styles from './table.module.css';

export interface Column<Row> {
  key: string;
  header: ReactNode;
  number?: boolean;
  cell: (row: Row) => ReactNode;
}

/** Number of rows that a table shows at first, and number of rows that follow when the user scrolls to the end. */
const FIRST_ROWS = 40;
const FURTHER_ROWS = 200;

/** Table that shows further rows when the user scrolls to its end. Use `Grid` for lists that are read in parts. */
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
  const [shownCount, setShownCount] = useState(FIRST_ROWS);
  const shown = rows.slice(0, shownCount);
  // Rows are cards in narrow windows. The roles keep the table a table for screen readers, whatever CSS makes of it.
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={styles.frame} aria-label={label} tabIndex={0} data-table>
      <table className={styles.table} role="table" aria-rowcount={rows.length + 1}>
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
          {shown.map((row) => {
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
      {rows.length > shown.length && (
        <FurtherRows
          count={rows.length - shown.length}
          onShow={() => setShownCount(shown.length + FURTHER_ROWS)}
        />
      )}
    </section>
  );
}

/** Button that shows further rows of a table. Coming into view is enough to press it. */
function FurtherRows({ count, onShow }: { count: number; onShow: () => void }) {
  const button = useRef<HTMLDivElement>(null);
  const show = useRef(onShow);
  show.current = onShow;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that do not fill the window are followed by others
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) show.current();
    }, NEARBY);
    observer.observe(button.current!);
    return () => observer.disconnect();
  }, [count]);
  return (
    <div ref={button} className={styles.further}>
      <Button look="quiet" onClick={onShow}>
        {t('Show {count, plural, one {# more row} other {# more rows}}', { count })}
      </Button>
    </div>
  );
}

const NEARBY = { rootMargin: '400px' };
