import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../../i18n/messages.ts';
import { IconButton } from '../../../ui/button.tsx';
import { type Item, readCell, type ValueColumn } from '../columns.ts';
import { canReview } from '../use-review.ts';
import styles from './review.module.css';
import type { ReviewGridProps } from './review-grid.tsx';
import { ApproveButton, Reviewer, ReviewState } from './review-state.tsx';
import { ValueEditor } from './value-editor.tsx';
import { ValueText } from './value-text.tsx';

const CARD_PX = 260;

/** Files of a batch as a list of cards, for narrow screens. */
export function ReviewCards(props: ReviewGridProps) {
  const { rows, total, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const cards = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_PX,
    overscan: 3,
  });
  const last = cards.range?.endIndex ?? 0;
  useEffect(() => {
    onRange(last);
  }, [last, onRange]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section ref={scroller} className={styles.cards} aria-label={t('Files')} tabIndex={0}>
      <ul style={{ height: `${cards.getTotalSize()}px` }}>
        {cards.getVirtualItems().map(({ index, start }) => {
          const item = rows[index];
          return (
            <li
              key={index}
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
      <h3 dir="auto">{item.file_name ?? t('A deleted file')}</h3>
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
  const [isEditing, setEditing] = useState(false);
  const cell = readCell(item, column, batch.job_type);
  const name = item.file_name ?? t('a deleted file');
  return (
    <div>
      <dt>{column.label}</dt>
      <dd>
        {isEditing ? (
          <ValueEditor
            column={column}
            value={cell.value}
            fileName={name}
            onSave={(value) => onCorrect(item, column, value)}
            onClose={() => setEditing(false)}
          />
        ) : (
          <ValueText cell={cell} />
        )}
        <IconButton
          icon="file"
          small
          label={t('Show the source of {label} of {name}', { label: column.label, name })}
          onClick={() => onActivate({ row: index, column: at })}
        />
        {!column.isReadOnly && (
          <IconButton
            writes
            icon="edit"
            small
            label={t('Edit {label} of {name}', { label: column.label, name })}
            onClick={() => setEditing(true)}
          />
        )}
      </dd>
    </div>
  );
}
