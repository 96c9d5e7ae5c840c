import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { ago, count } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded, Progress } from '../../ui/states.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import styles from './batches.module.css';

const OPERATION = 'GET /api/v2/batches';
const getCalls = () => [{ what: t('List the batches'), ...buildRequest(OPERATION, {}) }];
const getKinds = () => ({ extract: t('Extract'), classify: t('Classify'), parse: t('Parse') }) as const;

type Batch = Answer<typeof OPERATION>['items'][number];

/** Batches of the project, newest first. */
export default function Batches() {
  const pathTo = useProjectPath();
  const [search] = useSearchParams();
  const token = search.get('page_token') ?? undefined;
  const read = useApiQuery(
    OPERATION,
    { query: { page_size: 25, page_token: token } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const newBatch = useMemo(
    () => (
      <ButtonLink to={pathTo('/batches/new')} icon="plus" look="primary">
        {t('New batch')}
      </ButtonLink>
    ),
    [pathTo, language],
  );
  return (
    <Page
      title={t('Batches')}
      lead={t(
        'Extract, classify or parse many files with one configuration, and review the results together.',
      )}
      calls={getCalls()}
      actions={newBatch}
    >
      <Loaded read={read} what={t('The batches could not be read')}>
        {({ items, next_page_token: next }) => (
          <>
            {items.length === 0 && (
              <Empty icon="extract" title={t('No batches yet')} action={newBatch}>
                {t('A batch processes up to 1,000 files.')}
              </Empty>
            )}
            <ul className={styles.list}>
              {items.map((batch) => (
                <BatchRow key={batch.id} batch={batch} to={pathTo(`/batches/${batch.id}`)} />
              ))}
            </ul>
            <div className={styles.pager}>
              {token && <Link to={pathTo('/batches')}>{t('Newest')}</Link>}
              {next && <Link to={pathTo('/batches', { page_token: next })}>{t('Older')}</Link>}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function BatchRow({ batch, to }: { batch: Batch; to: string }) {
  const { name, job_type, status, file_count, status_counts, review_counts, created_at } = batch;
  const failed = status_counts.FAILED + status_counts.CANCELLED + status_counts.DELETED;
  return (
    <li className={styles.item}>
      <Link to={to} className={styles.name} dir="auto">
        {name}
      </Link>
      <span className={styles.facts}>
        <StatusBadge status={status} />
        <span>{getKinds()[job_type]}</span>
        <span>{ago(created_at)}</span>
      </span>
      <Progress
        label={t('Progress of {name}', { name })}
        done={status_counts.COMPLETED}
        failed={failed}
        total={file_count}
      >
        <span className={styles.facts}>
          {[
            t('{completed} of {total} completed', {
              completed: count(status_counts.COMPLETED),
              total: count(file_count),
            }),
            failed > 0 && t('{count} without result', { count: count(failed) }),
            job_type !== 'parse' &&
              t('{count, plural, other {# approved}}', { count: review_counts.approved }),
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
      </Progress>
    </li>
  );
}
