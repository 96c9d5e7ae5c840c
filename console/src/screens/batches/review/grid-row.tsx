// biome-ignore-all lint/a11y/useSemanticElements: cells of a virtual table are positioned absolutely
// biome-ignore-all lint/a11y/useFocusableInteractive: cells take the focus, one at a time
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys of all cells
import type { VirtualItem } from '@tanstack/react-virtual';
import { t } from '../../../i18n/messages.ts';
import { type Batch, type Item, readCell, type ValueColumn } from '../columns.ts';
import { canReview } from '../use-review.ts';
import type { CellPosition, EditedValue } from './cell-position.ts';
import styles from './review.module.css';
import type { ReviewGridProps } from './review-grid.tsx';
import { ApproveButton, ReviewState } from './review-state.tsx';
import { ValueEditor } from './value-editor.tsx';
import { ValueText } from './value-text.tsx';

interface GridRowProps extends Pick<ReviewGridProps, 'onCorrect' | 'onApprove'> {
  index: number;
  /** Distance in pixels between the row and the top of the grid. */
  start: number;
  /** `undefined` while the row is loading. */
  item: Item | undefined;
  jobType: Batch['job_type'];
  columns: readonly ValueColumn[];
  shown: readonly VirtualItem[];
  /** Column with the focus if it is in this row. */
  activeColumn: number | undefined;
  /** Value that is being edited if it is in this row. */
  editing: EditedValue | undefined;
  onActivate: (position: CellPosition) => void;
  onEdit: (column: number) => void;
  /** Called when editing has ended. `hadFocus` is false if the user has moved the focus elsewhere. */
  onClose: (hadFocus: boolean) => void;
}

/** One file of the grid: its name and review, and one cell for each value. */
export function GridRow(props: GridRowProps) {
  const { index, start, item, columns, shown, activeColumn, onActivate, onApprove } = props;
  const label = item?.file_name ?? t('A deleted file');
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy={item === undefined || undefined}
      className={styles.row}
      data-active={activeColumn !== undefined || undefined}
      data-review={item?.review_state}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div
        role="rowheader"
        aria-colindex={1}
        className={styles.file}
        tabIndex={activeColumn === -1 || (activeColumn !== undefined && !item) ? 0 : -1}
        data-cell={`${index} -1`}
        onFocus={() => {
          // While the row is loading, its header has the focus in place of the value in the active column.
          const column = item ? -1 : (activeColumn ?? -1);
          onActivate({ row: index, jobId: item?.job_id, column });
        }}
        onClick={({ currentTarget }) => currentTarget.focus()}
      >
        {item ? (
          <>
            <span className={styles.name} title={label} dir="auto">
              {label}
            </span>
            <span className={styles.state}>
              <ReviewState item={item} />
              <ApproveButton item={item} onApprove={onApprove} tabIndex={-1} />
            </span>
          </>
        ) : (
          <span className="visually-hidden">{t('Loading')}</span>
        )}
      </div>
      {item &&
        shown.map(({ index: at, start: offset }) => (
          <ValueCell key={at} {...props} item={item} column={columns[at]!} at={at} offset={offset} />
        ))}
    </div>
  );
}

interface ValueCellProps extends GridRowProps {
  item: Item;
  column: ValueColumn;
  at: number;
  /** Distance in pixels between the cell and the first value. */
  offset: number;
}

function ValueCell(props: ValueCellProps) {
  const { index, item, jobType, column, at, offset, activeColumn, editing, onActivate, onEdit, onClose } =
    props;
  const cell = readCell(item, column, jobType);
  return (
    <div
      role="gridcell"
      aria-colindex={at + 2}
      aria-readonly={column.isReadOnly || !canReview(item) || undefined}
      className={styles.cell}
      style={{ insetInlineStart: `calc(var(--file) + ${offset}px)` }}
      tabIndex={activeColumn === at ? 0 : -1}
      data-cell={`${index} ${at}`}
      onFocus={() => onActivate({ row: index, jobId: item.job_id, column: at })}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget || !(target as HTMLElement).closest('input, select'))
          currentTarget.focus();
      }}
      onDoubleClick={() => {
        // A double click in the editor selects a word.
        if (editing?.column !== at) onEdit(at);
      }}
    >
      {editing?.column === at ? (
        <ValueEditor
          jobType={jobType}
          item={editing.item}
          column={column}
          fileName={item.file_name ?? t('a deleted file')}
          onSave={(known, value) => props.onCorrect(known, column, value)}
          onClose={onClose}
        />
      ) : (
        canReview(item) &&
        (item.result_omitted ? <span>{t('Too large to list')}</span> : <ValueText cell={cell} />)
      )}
    </div>
  );
}
