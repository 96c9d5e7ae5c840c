import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState } from 'react';
import { t } from '../../../i18n/messages.ts';
import { IconButton } from '../../../ui/button.tsx';
import { type Item, readCell, type ValueColumn } from '../columns.ts';
import { canReview } from '../use-review.ts';
import { extractRange } from './cell-position.ts';
import styles from './review.module.css';
import type { ReviewGridProps } from './review-grid.tsx';
import { ApproveButton, Reviewer, ReviewState } from './review-state.tsx';
import { ValueEditor } from './value-editor.tsx';
import { ValueText } from './value-text.tsx';

const CARD_PX = 260;

/** Files of a batch as a list of cards, for narrow screens. */
export function ReviewCards(props: ReviewGridProps) {
  const { rows, total, active, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const cards = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_PX,
    getItemKey: useCallback((index: number) => rows[index]?.job_id ?? index, [rows]),
    overscan: 3,
    // A value of the active file may be edited.
    rangeExtractor: (range) => extractRange(range, [active.row]),
  });
  const { startIndex: first, endIndex: last } = cards.range ?? { startIndex: 0, endIndex: 0 };
  useEffect(() => {
    onRange(first, last);
  }, [first, last, onRange]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section ref={scroller} className={styles.cards} aria-label={t('Files')} tabIndex={0}>
      <ul style={{ height: `${cards.getTotalSize()}px` }}>
        {cards.getVirtualItems().map(({ key, index, start }) => {
          const item = rows[index];
          return (
            <li
              key={key}
              ref={cards.measureElement}
              data-index={index}
              aria-setsize={total}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              {item ? <Card {...props} item={item} index={index} /> : t('Loading')}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Card(props: ReviewGridProps & { item: Item; index: number }) {
  const { item, columns, onApprove } = props;
  return (
    <article className={styles.card} data-review={item.review_state}>
      <h2 dir="auto">{item.file_name ?? t('A deleted file')}</h2>
      <span className={styles.state}>
        <ReviewState item={item} />
        <ApproveButton item={item} onApprove={onApprove} />
      </span>
      <Reviewer item={item} />
      {canReview(item) && columns.length > 0 && !item.result_omitted && (
        <dl>
          {columns.map((column, at) => (
            <CardValue key={column.pointer} {...props} column={column} at={at} />
          ))}
        </dl>
      )}
    </article>
  );
}

function CardValue(props: ReviewGridProps & { item: Item; index: number; column: ValueColumn; at: number }) {
  const { batch, item, index, column, at, onCorrect, onActivate } = props;
  /** The file as it was when the editor was opened. `undefined` if the value is not being edited. */
  const [edited, setEdited] = useState<Item>();
  const editButton = useRef<HTMLButtonElement>(null);
  const activate = () => onActivate({ row: index, jobId: item.job_id, column: at });
  const cell = readCell(item, column, batch.job_type);
  const name = item.file_name ?? t('a deleted file');
  return (
    <div>
      <dt>{column.label}</dt>
      <dd>
        {edited ? (
          <ValueEditor
            jobType={batch.job_type}
            item={edited}
            column={column}
            fileName={name}
            onSave={(known, value) => onCorrect(known, column, value)}
            onClose={(hadFocus) => {
              setEdited(undefined);
              if (hadFocus) editButton.current?.focus();
            }}
          />
        ) : (
          <ValueText cell={cell} />
        )}
        <IconButton
          icon="file"
          small
          label={t('Show the source of {label} of {name}', { label: column.label, name })}
          onClick={activate}
        />
        {!column.isReadOnly && (
          <IconButton
            ref={editButton}
            writes
            icon="edit"
            small
            label={t('Edit {label} of {name}', { label: column.label, name })}
            onClick={() => {
              activate();
              setEdited(item);
            }}
          />
        )}
      </dd>
    </div>
  );
}
