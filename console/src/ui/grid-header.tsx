// biome-ignore-all lint/a11y/useSemanticElements: table rows cannot be positioned absolutely
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of the body take the focus, one at a time
import type { PointerEvent } from 'react';
import { t } from '../i18n/messages.ts';
import styles from './grid.module.css';
import type { GridColumn } from './grid.tsx';
import { Icon } from './icons.tsx';
import type { Choice } from './use-choice.ts';
import type { GridColumns } from './use-grid-columns.ts';

interface GridHeaderProps<Row> {
  columns: readonly GridColumn<Row>[];
  layout: GridColumns;
  choice: Choice<Row> | undefined;
}

/**
 * Header row of the grid, which stays visible while scrolling. Clicking a column sorts by it, and a second
 * click reverses the order. Dragging the edge of a column changes its width.
 */
export function GridHeader<Row>({ columns, layout, choice }: GridHeaderProps<Row>) {
  const headers = layout.table.getFlatHeaders();
  return (
    <div role="row" aria-rowindex={1} className={styles.header}>
      {choice && (
        <div role="columnheader" className={styles.choose}>
          <input
            type="checkbox"
            aria-label={t('Select all that match')}
            checked={choice.isAll}
            ref={(box) => {
              if (box) box.indeterminate = choice.count > 0 && !choice.isAll;
            }}
            onChange={() => (choice.isAll ? choice.clear() : choice.chooseAll())}
          />
        </div>
      )}
      {columns.map(({ key, header, number, wide }) => {
        const known = headers.find(({ id }) => id === key);
        const order = known?.column.getIsSorted();
        const resize = (event: PointerEvent<HTMLElement>) => {
          // Resizing begins with the width that CSS gave the column.
          layout.setWidth(key, event.currentTarget.parentElement!.offsetWidth);
          known?.getResizeHandler()(event.nativeEvent);
        };
        return (
          <div
            key={key}
            role="columnheader"
            aria-sort={order ? (order === 'desc' ? 'descending' : 'ascending') : undefined}
            data-column={key}
            data-number={number}
            data-wide={wide}
          >
            {known?.column.getCanSort() ? (
              <button type="button" onClick={() => known.column.toggleSorting(order === 'asc')}>
                {header}
                {order && <Icon name={order === 'desc' ? 'down' : 'up'} size={14} />}
              </button>
            ) : (
              header
            )}
            {known && (
              <span
                className={styles.resizer}
                data-active={known.column.getIsResizing() || undefined}
                aria-hidden="true"
                onPointerDown={resize}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}
