// biome-ignore-all lint/a11y/useSemanticElements: table rows cannot be positioned absolutely
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of the body take the focus, one at a time

import { memo } from 'react';
import { useLanguage } from '../i18n/language.ts';
import { t } from '../i18n/messages.ts';
import styles from './grid.module.css';
import type { GridColumn } from './grid.tsx';

interface GridRowProps<Row> {
  index: number;
  /** Distance in pixels between the row and the top of the grid. */
  start: number;
  row: Row | undefined;
  columns: readonly GridColumn<Row>[];
  name: string;
  /** True if pressing Tab moves the focus to this row. Only one row of the grid can be reached with Tab. */
  isActive: boolean;
  /** True if the row is selected. `undefined` if rows of the grid cannot be selected. */
  isChosen: boolean | undefined;
  onFocus: (index: number) => void;
}

/** Shows one row of the grid. The row is memoized, so it renders again only when its props change. */
export const GridRow = memo(function GridRow<Row>(props: GridRowProps<Row>) {
  useLanguage();
  const { index, start, row, columns, name, isActive, isChosen, onFocus } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-busy={row === undefined || undefined}
      tabIndex={isActive ? 0 : -1}
      data-index={index}
      className={styles.row}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => onFocus(index)}
    >
      {isChosen !== undefined && (
        <div role="gridcell" className={styles.choose} data-choose>
          {row !== undefined && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={t('Select {name}', { name })}
              checked={isChosen}
              readOnly
            />
          )}
        </div>
      )}
      {row === undefined ? (
        <div role="gridcell" className={styles.waiting}>
          <span className="visually-hidden">{t('Loading')}</span>
        </div>
      ) : (
        columns.map(({ key, number, wide, cell }, at) => (
          <div
            key={key}
            role="gridcell"
            dir={number ? undefined : 'auto'}
            data-number={number}
            data-wide={wide}
            data-first={at === 0 || undefined}
          >
            {cell(row)}
          </div>
        ))
      )}
    </div>
  );
}) as <Row>(props: GridRowProps<Row>) => React.ReactNode;
