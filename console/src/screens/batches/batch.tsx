import { useMemo, useState } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { useLanguage } from '../../i18n/language.ts';
import { rich, t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded, Progress, Skeleton } from '../../ui/states.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { BatchActions } from './batch-actions.tsx';
import styles from './batches.module.css';
import { type Batch, LOW_CONFIDENCE, listColumns } from './columns.ts';
import { ReviewCards } from './review/review-cards.tsx';
import { type CellPosition, ReviewGrid } from './review/review-grid.tsx';
import { SourcePane } from './review/source-pane.tsx';
import { useItems } from './use-batch.ts';
import { useIsNarrow } from './use-is-narrow.ts';
import { useReview } from './use-review.ts';

/** Page of a batch with its progress and the review of its results. */
export default function BatchPage() {
  const { id } = useParams<{ id: string }>();
  const pathTo = useProjectPath();
  const input = { params: { batch_id: id } };
  const read = useApiQuery('GET /api/v2/batches/{batch_id}', input, {
    refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false),
  });
  const batch = read.data;
  return (
    <Page
      title={batch?.name ?? t('Batch')}
      badge={batch && <StatusBadge status={batch.status} />}
      breadcrumbs={[{ to: pathTo('/batches'), label: t('Batches') }]}
      calls={[
        { what: t('Read the batch'), ...buildRequest('GET /api/v2/batches/{batch_id}', input) },
        { what: t('List its files'), ...buildRequest('GET /api/v2/batches/{batch_id}/items', input) },
      ]}
      actions={batch && <BatchActions batch={batch} />}
      full
    >
      <Loaded read={read} what={t('The batch could not be read')}>
        {(found) => <Review key={found.id} batch={found} />}
      </Loaded>
    </Page>
  );
}

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

function Review({ batch }: { batch: Batch }) {
  const [search, setSearch] = useSearchParams();
  const [active, setActive] = useState<CellPosition>({ row: 0, column: -1 });
  const [isAsked, setAsked] = useState(false);
  const isNarrow = useIsNarrow();
  const wanted = search.get('show') ?? 'all';
  const filter: FilterName = Object.hasOwn(getFilters(), wanted) ? (wanted as FilterName) : 'all';
  const items = useItems(batch.id, getFilters()[filter].query, isUnderWay(batch.status));
  const review = useReview({ batch, replace: items.replace, refetch: items.refetch });
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(() => listColumns(batch), [batch, language]);
  const { status_counts: states, review_counts: reviews, file_count: all } = batch;
  const failed = states.FAILED + states.CANCELLED + states.DELETED;
  const isReviewable = batch.job_type !== 'parse';
  const show = (name: string) => {
    setActive({ row: 0, column: -1 });
    setSearch(name === 'all' ? {} : { show: name }, { replace: true });
  };
  const shared = {
    batch,
    columns,
    rows: items.rows,
    total: items.total ?? 0,
    active,
    onActivate: setActive,
    onRange: items.onRange,
    onCorrect: review.correct,
    onApprove: (...change: Parameters<typeof review.approve>) => void review.approve(...change),
  };
  return (
    <>
      <Progress label={t('Progress')} done={states.COMPLETED} failed={failed} total={all}>
        <span className={styles.facts} role="status">
          {[
            t('{completed} of {all, plural, one {# file} other {# files}} completed', {
              completed: count(states.COMPLETED),
              all,
            }),
            failed > 0 && t('{count} without result', { count: count(failed) }),
            isReviewable && t('{count, plural, other {# approved}}', { count: reviews.approved }),
            isReviewable && t('{count, plural, other {# corrected}}', { count: reviews.corrected }),
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
      </Progress>
      <div className={styles.bar}>
        <Select
          label={t('Show')}
          choices={Object.entries(getFilters()).map(([value, { label }]) => ({ value, label }))}
          value={filter}
          onChange={({ target }) => show(target.value)}
        />
        {isReviewable && (
          <Button
            writes
            icon="check"
            disabled={review.isSaving || !items.total}
            onClick={() => setAsked(true)}
          >
            {t('Approve all shown')}
          </Button>
        )}
        {isReviewable && !isNarrow && (
          <p className={styles.hint}>
            {rich('Arrow keys move, Enter edits, Escape cancels, <kbd>a</kbd> approves the file.', {
              kbd: (chunks) => <kbd>{chunks}</kbd>,
            })}
          </p>
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
      {items.total === undefined && !items.error && <Skeleton rows={8} />}
      {items.total === 0 && <Empty icon="search" title={t('No file matches')} />}
      {(items.total ?? 0) > 0 && (
        <div className={styles.split}>
          {isNarrow ? <ReviewCards {...shared} /> : <ReviewGrid {...shared} />}
          <section className={styles.source} aria-label={t('Source')}>
            <SourcePane batch={batch} item={items.rows[active.row]} column={columns[active.column]} />
          </section>
        </div>
      )}
      {isAsked && (
        <Confirm
          title={t('Approve all files that are shown?')}
          action={t('Approve')}
          onConfirm={async () => void (await review.approveAll(await items.loadAll()))}
          onClose={() => setAsked(false)}
        >
          {t(
            'You approve the results of all completed files that match “{label}”. Your name and the time are saved with each of them.',
            { label: getFilters()[filter].label },
          )}
        </Confirm>
      )}
    </>
  );
}
