// biome-ignore-all lint/a11y/useSemanticElements: cells of a virtual table are positioned absolutely
// biome-ignore-all lint/a11y/useFocusableInteractive: cells take the focus, one at a time
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useContext, useEffect, useRef } from 'react';
import { t } from '../../../i18n/messages.ts';
import { isSequencePending } from '../../../ui/use-shortcuts.ts';
import { WriteRefusal } from '../../../ui/write-access.ts';
import type { Batch, Item, ValueColumn } from '../columns.ts';
import { canReview, type SaveOutcome } from '../use-review.ts';
import { type CellPosition, type EditedValue, extractRange } from './cell-position.ts';
import { GridRow } from './grid-row.tsx';
import styles from './review.module.css';
import { useCellFocus } from './use-cell-focus.ts';

export interface ReviewGridProps {
  batch: Batch;
  columns: readonly ValueColumn[];
  rows: readonly Item[];
  /** Number of files, including files that are not loaded yet. */
  total: number;
  /** Cell with the focus, at the current index of its row. */
  active: CellPosition;
  onActivate: (position: CellPosition) => void;
  editing: EditedValue | undefined;
  onEdit: (change: (before: EditedValue | undefined) => EditedValue | undefined) => void;
  /** Called with the first and the last visible row, so that the caller can load them. */
  onRange: (first: number, last: number) => void;
  onCorrect: (item: Item, column: ValueColumn, value: unknown) => Promise<SaveOutcome>;
  onApprove: (item: Item, approved: boolean) => void;
}

const ROW_PX = 52;
const COLUMN_PX = 208;

/**
 * Table of values by file. Only rows and columns near the visible area are rendered. Arrow keys move between
 * cells, Enter edits a value, and `a` approves the file.
 */
export function ReviewGrid(props: ReviewGridProps) {
  const { batch, columns, rows, total, active, editing, onActivate, onEdit, onRange, onCorrect, onApprove } =
    props;
  const scroller = useRef<HTMLDivElement>(null);
  const isRefused = useContext(WriteRefusal) !== undefined;
  const isRtl = document.documentElement.dir === 'rtl';
  const editedRow = editing ? rows.findIndex(({ job_id }) => job_id === editing.item.job_id) : -1;
  const vertical = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: useCallback((index: number) => rows[index]?.job_id ?? index, [rows]),
    overscan: 6,
    paddingStart: ROW_PX,
    scrollPaddingStart: ROW_PX,
    rangeExtractor: (range) => extractRange(range, [active.row, editedRow]),
  });
  const horizontal = useVirtualizer({
    count: columns.length,
    horizontal: true,
    isRtl,
    getScrollElement: () => scroller.current,
    estimateSize: () => COLUMN_PX,
    overscan: 3,
    rangeExtractor: (range) => extractRange(range, [active.column, editing?.column ?? -1]),
  });
  const { startIndex: first, endIndex: last } = vertical.range ?? { startIndex: 0, endIndex: 0 };
  useEffect(() => {
    onRange(first, last);
  }, [first, last, onRange]);

  // A row that is loading has no values yet, so its header takes the focus.
  const activeColumn = rows[active.row] ? active.column : -1;
  const { focusActive, ...focusHandlers } = useCellFocus(scroller, `${active.row} ${activeColumn}`);
  const go = (rowStep: number, columnStep: number) => {
    const row = clamp(active.row + rowStep, 0, total - 1);
    const column = clamp(active.column + columnStep, -1, columns.length - 1);
    focusActive();
    onActivate({ row, jobId: rows[row]?.job_id, column });
    vertical.scrollToIndex(row);
    if (column >= 0) horizontal.scrollToIndex(column);
  };
  const edit = (item: Item | undefined, column: number) => {
    const isEditable = columns[column] && !columns[column].isReadOnly;
    if (!isEditable || isRefused || !item || !canReview(item) || item.result_omitted) return;
    onEdit(() => ({ item, column }));
  };
  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-cell]')) return;
    const item = rows[active.row];
    const onePage = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const step = findStep(event, { across: isRtl ? -1 : 1, onePage, rows: total, columns: columns.length });
    if (step) go(...step);
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === 'Enter' || event.key === 'F2') edit(item, active.column);
    else if (event.key !== 'a' || isSequencePending()) return;
    else if (!event.repeat && !isRefused && item && canReview(item))
      onApprove(item, item.review_state !== 'approved');
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
      {...focusHandlers}
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
        {vertical.getVirtualItems().map(({ key, index, start }) => (
          <GridRow
            key={key}
            index={index}
            start={start}
            item={rows[index]}
            jobType={batch.job_type}
            columns={columns}
            shown={shown}
            activeColumn={active.row === index ? active.column : undefined}
            editing={editedRow === index ? editing : undefined}
            onActivate={onActivate}
            onEdit={(column) => edit(rows[index], column)}
            onClose={(hadFocus) => {
              if (hadFocus) focusActive();
              // Another value may be edited by now.
              onEdit((now) => (now === editing ? undefined : now));
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

interface GridSize {
  /** Number of columns that the right arrow key moves by. It is negative if the columns run from right to left. */
  across: number;
  /** Number of rows that Page Down moves by. */
  onePage: number;
  rows: number;
  columns: number;
}

/** Returns how many rows and columns a key moves the focus by. Returns `undefined` for other keys. */
function findStep(event: KeyboardEvent, size: GridSize): [rows: number, columns: number] | undefined {
  const { across, onePage, rows, columns } = size;
  const toEdge = event.ctrlKey ? rows : 0;
  const steps: Record<string, [number, number]> = {
    ...{ ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, across], ArrowLeft: [0, -across] },
    ...{ PageDown: [onePage, 0], PageUp: [-onePage, 0] },
    ...{ Home: [-toEdge, -columns - 1], End: [toEdge, columns + 1] },
  };
  const isCommand = event.ctrlKey || event.metaKey || event.altKey;
  return isCommand && event.key !== 'Home' && event.key !== 'End' ? undefined : steps[event.key];
}
