// biome-ignore-all lint/a11y/useSemanticElements: cells of a virtual table are positioned absolutely
// biome-ignore-all lint/a11y/useFocusableInteractive: cells take the focus, one at a time
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react';
import { t } from '../../../i18n/messages.ts';
import { WriteRefusal } from '../../../ui/write-access.ts';
import type { Batch, Item, ValueColumn } from '../columns.ts';
import { canReview } from '../use-review.ts';
import { GridRow } from './grid-row.tsx';
import styles from './review.module.css';

export interface CellPosition {
  row: number;
  /** Index of the column, counted from 0. -1 is the name of the file. */
  column: number;
}

export interface ReviewGridProps {
  batch: Batch;
  columns: readonly ValueColumn[];
  rows: readonly Item[];
  /** Number of files, including files that are not loaded yet. */
  total: number;
  active: CellPosition;
  onActivate: (position: CellPosition) => void;
  onRange: (lastRow: number) => void;
  onCorrect: (item: Item, column: ValueColumn, value: unknown) => Promise<boolean>;
  onApprove: (item: Item, approved: boolean) => void;
}

const ROW_PX = 52;
const COLUMN_PX = 208;

/**
 * Table of values by file. Only rows and columns near the visible area are rendered. Arrow keys move between
 * cells, Enter edits a value, and `a` approves the file.
 */
export function ReviewGrid(props: ReviewGridProps) {
  const { batch, columns, rows, total, active, onActivate, onRange, onCorrect, onApprove } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [editing, setEditing] = useState<CellPosition>();
  const isRefused = useContext(WriteRefusal) !== undefined;
  const isRtl = document.documentElement.dir === 'rtl';
  const vertical = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    paddingStart: ROW_PX,
    scrollPaddingStart: ROW_PX,
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const first = Math.max(0, startIndex - overscan);
      const last = Math.min(total - 1, endIndex + overscan);
      const near = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      // The row with the focus stays rendered, because the focus would be lost otherwise.
      const isNear = active.row >= first && active.row <= last;
      return isNear || active.row >= total ? near : [...near, active.row].sort((one, other) => one - other);
    },
  });
  const horizontal = useVirtualizer({
    count: columns.length,
    horizontal: true,
    isRtl,
    getScrollElement: () => scroller.current,
    estimateSize: () => COLUMN_PX,
    overscan: 3,
  });
  const last = vertical.range?.endIndex ?? 0;
  useEffect(() => {
    onRange(last);
  }, [last, onRange]);

  const focus = (to: CellPosition) => {
    onActivate(to);
    vertical.scrollToIndex(to.row);
    if (to.column >= 0) horizontal.scrollToIndex(to.column);
    // The cell may be rendered only in the next frames.
    requestAnimationFrame(() => requestAnimationFrame(() => findCell(scroller.current, to)?.focus()));
  };
  const go = (rowStep: number, columnStep: number) =>
    focus({
      row: clamp(active.row + rowStep, 0, total - 1),
      column: clamp(active.column + columnStep, -1, columns.length - 1),
    });
  const canEdit = ({ row, column }: CellPosition) => {
    const item = rows[row];
    return (
      !isRefused &&
      item &&
      canReview(item) &&
      !item.result_omitted &&
      columns[column] &&
      !columns[column].isReadOnly
    );
  };
  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-cell]')) return;
    const item = rows[active.row];
    const across = isRtl ? -1 : 1;
    const onePage = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const steps: Record<string, [number, number]> = {
      ...{ ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, across], ArrowLeft: [0, -across] },
      ...{ PageDown: [onePage, 0], PageUp: [-onePage, 0] },
      ...{ Home: [event.ctrlKey ? -total : 0, -columns.length - 1] },
      ...{ End: [event.ctrlKey ? total : 0, columns.length + 1] },
    };
    const step = steps[event.key];
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    if (step && (!isCommand || event.key === 'Home' || event.key === 'End')) go(...step);
    else if (isCommand) return;
    else if ((event.key === 'Enter' || event.key === 'F2') && canEdit(active)) setEditing(active);
    else if (event.key === 'a' && !isRefused && item && canReview(item))
      onApprove(item, item.review_state !== 'approved');
    else return;
    event.preventDefault();
  };
  const variables = {
    '--width': `${horizontal.getTotalSize()}px`,
    '--height': `${vertical.getTotalSize()}px`,
    '--cell': `${COLUMN_PX}px`,
  };
  const shown = horizontal.getVirtualItems();
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={t('Values of {total, plural, one {# file} other {# files}}', { total })}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 1}
      className={styles.grid}
      style={variables as React.CSSProperties}
      onKeyDown={press}
    >
      <div role="presentation" className={styles.body}>
        <div role="row" aria-rowindex={1} className={styles.header}>
          <div role="columnheader" aria-colindex={1} className={styles.file}>
            {t('File')}
          </div>
          {shown.map(({ index, start }) => (
            <div
              key={index}
              role="columnheader"
              aria-colindex={index + 2}
              className={styles.cell}
              style={{ insetInlineStart: `calc(var(--file) + ${start}px)` }}
              title={columns[index]!.label}
            >
              {columns[index]!.label}
            </div>
          ))}
        </div>
        {vertical.getVirtualItems().map(({ index, start }) => (
          <GridRow
            key={index}
            index={index}
            start={start}
            item={rows[index]}
            jobType={batch.job_type}
            columns={columns}
            shown={shown}
            activeColumn={active.row === index ? active.column : undefined}
            editing={editing?.row === index ? editing.column : undefined}
            onActivate={onActivate}
            onEdit={(column) => canEdit({ row: index, column }) && setEditing({ row: index, column })}
            onClose={() => {
              setEditing(undefined);
              if (editing) focus(editing);
            }}
            onCorrect={onCorrect}
            onApprove={onApprove}
          />
        ))}
      </div>
    </div>
  );
}

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

const findCell = (grid: HTMLElement | null, { row, column }: CellPosition) =>
  grid?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`);
