import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useLanguage } from '../../i18n/language.ts';
import { rich, t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { Empty, Failure, Progress, Skeleton } from '../../ui/states.tsx';
import { isUnderWay } from '../jobs/polling.ts';
import { ApproveAll } from './approve-all.tsx';
import styles from './batches.module.css';
import { type Batch, LOW_CONFIDENCE, listColumns } from './columns.ts';
import { useKeptRows } from './kept-rows.ts';
import { type CellPosition, type EditedValue, FIRST_CELL, findRow } from './review/cell-position.ts';
import { ReviewCards } from './review/review-cards.tsx';
import { ReviewGrid } from './review/review-grid.tsx';
import { SourcePane } from './review/source-pane.tsx';
import { useItems } from './use-batch.ts';
import { useIsNarrow } from './use-is-narrow.ts';
import { useReview } from './use-review.ts';

const getFilters = () =>
  ({
    all: { label: t('All files'), query: {} },
    unreviewed: { label: t('Not reviewed'), query: { status: 'COMPLETED', review_state: 'none' } },
    corrected: { label: t('Corrected'), query: { review_state: 'corrected' } },
    approved: { label: t('Approved'), query: { review_state: 'approved' } },
    low: { label: t('Low confidence'), query: { confidence_below: LOW_CONFIDENCE } },
    failed: { label: t('Failed'), query: { status: 'FAILED' } },
    running: { label: t('Running'), query: { status: 'RUNNING' } },
  }) as const;
type FilterName = keyof ReturnType<typeof getFilters>;

/** Returns the filter in the page's address, and a function that changes it. */
function useFilter(): [filter: FilterName, show: (filter: string) => void] {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('show') ?? 'all';
  const filter = Object.hasOwn(getFilters(), wanted) ? (wanted as FilterName) : 'all';
  const show = (name: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (name === 'all') next.delete('show');
        else next.set('show', name);
        return next;
      },
      { replace: true },
    );
  return [filter, show];
}

/** Progress of a batch, and its results with their reviews. */
export function BatchReview({ batch }: { batch: Batch }) {
  const [filter, show] = useFilter();
  const [active, setActive] = useState<CellPosition>(FIRST_CELL);
  const [editing, setEditing] = useState<EditedValue>();
  const [isAsked, setAsked] = useState(false);
  const items = useItems(batch.id, getFilters()[filter].query, isUnderWay(batch.status));
  const kept = useKeptRows(items.rows, active.jobId, editing?.item.job_id);
  const { settle, refetch } = items;
  const review = useReview({
    batch,
    settle,
    refetch,
    replace(item) {
      kept.replace(item);
      return items.replace(item);
    },
  });
  const total = items.total === undefined ? undefined : items.total + kept.added;
  const isReviewable = batch.job_type !== 'parse';
  return (
    <>
      <BatchProgress batch={batch} isReviewable={isReviewable} />
      <div className={styles.bar}>
        <Select
          label={t('Show')}
          choices={Object.entries(getFilters()).map(([value, { label }]) => ({ value, label }))}
          value={filter}
          onChange={({ target }) => {
            setActive(FIRST_CELL);
            setEditing(undefined);
            show(target.value);
          }}
        />
        {isReviewable && (
          <ReviewTools
            isDisabled={review.isSaving || items.isOld || !items.total}
            onApproveAll={() => setAsked(true)}
          />
        )}
      </div>
      {review.error != null && <Failure error={review.error} what={t('The review could not be saved')} />}
      {items.error && (
        <Failure
          error={items.error}
          what={t('The files could not be read')}
          onRetry={() => void items.refetch()}
        />
      )}
      {total === undefined && !items.error && <Skeleton rows={8} />}
      {total === 0 && <Empty icon="search" title={t('No file matches')} />}
      {total !== undefined && total > 0 && (
        <Values
          batch={batch}
          rows={kept.rows}
          total={total}
          active={{ ...active, row: findRow(kept.rows, total, active) }}
          onActivate={setActive}
          editing={editing}
          onEdit={setEditing}
          onRange={items.onRange}
          onCorrect={review.correct}
          onApprove={(item, approved) => void review.approve(item, approved)}
        />
      )}
      {isAsked && (
        <ApproveAll
          label={getFilters()[filter].label}
          onApprove={async (run) => review.approveAll(await items.loadAll(run.signal), run)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function BatchProgress({ batch, isReviewable }: { batch: Batch; isReviewable: boolean }) {
  const { status_counts: states, review_counts: reviews, file_count: all } = batch;
  const failed = states.FAILED + states.CANCELLED + states.DELETED;
  const facts = [
    t('{completed} of {all, plural, one {# file} other {# files}} completed', {
      completed: count(states.COMPLETED),
      all,
    }),
    failed > 0 && t('{count} without result', { count: count(failed) }),
    isReviewable && t('{count, plural, other {# approved}}', { count: reviews.approved }),
    isReviewable && t('{count, plural, other {# corrected}}', { count: reviews.corrected }),
  ];
  return (
    <Progress label={t('Progress')} done={states.COMPLETED} failed={failed} total={all}>
      <span className={styles.facts} role="status">
        {facts.filter(Boolean).join(', ')}
      </span>
    </Progress>
  );
}

function ReviewTools({ isDisabled, onApproveAll }: { isDisabled: boolean; onApproveAll: () => void }) {
  const isNarrow = useIsNarrow();
  return (
    <>
      <Button writes icon="check" disabled={isDisabled} onClick={onApproveAll}>
        {t('Approve all shown')}
      </Button>
      {!isNarrow && (
        <p className={styles.hint}>
          {rich('Arrow keys move, Enter edits, Escape cancels, <kbd>a</kbd> approves the file.', {
            kbd: (chunks) => <kbd>{chunks}</kbd>,
          })}
        </p>
      )}
    </>
  );
}

/** Values by file, beside the page on which the selected value is printed. */
function Values(props: Omit<React.ComponentProps<typeof ReviewGrid>, 'columns'>) {
  const { batch, rows, active } = props;
  const isNarrow = useIsNarrow();
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(() => listColumns(batch), [batch, language]);
  return (
    <div className={styles.split}>
      {isNarrow ? <ReviewCards {...props} columns={columns} /> : <ReviewGrid {...props} columns={columns} />}
      <section className={styles.source} aria-label={t('Source')}>
        <SourcePane batch={batch} item={rows[active.row]} column={columns[active.column]} />
      </section>
    </div>
  );
}
