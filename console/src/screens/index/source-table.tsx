import { useContext } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { useOptimisticApiMutation } from '../../api/optimistic.ts';
import type { Answer, Input } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { ago, moment } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { WriteRefusal } from '../../ui/write-access.ts';
import { useKindTitles } from './connections.ts';
import styles from './index.module.css';
import { getNextReadTime, intervalChoices } from './intervals.ts';
import { CHANGED_BY_RUNS } from './use-sync.ts';

const LIST = 'GET /api/v1/pipelines/{pipeline_id}/data-sources';
export type Source = Answer<typeof LIST>[number];

const changeInterval = (
  sources: Source[],
  { params, body }: Input<'PUT /api/v1/pipelines/{pipeline_id}/data-sources/{data_source_id}'>,
) =>
  sources.map((source) =>
    source.data_source_id === params.data_source_id && source.pipeline_id === params.pipeline_id
      ? { ...source, ...body }
      : source,
  );

/** Data sources of an index with their schedules. */
export function SourceTable({
  sources,
  onRemove,
}: {
  sources: Source[];
  onRemove: (source: Source) => void;
}) {
  const kind = useKindTitles();
  const isRefused = useContext(WriteRefusal) !== undefined;
  const sync = useApiMutation(
    'POST /api/v1/pipelines/{pipeline_id}/data-sources/{data_source_id}/sync',
    CHANGED_BY_RUNS,
  );
  const schedule = useOptimisticApiMutation(
    'PUT /api/v1/pipelines/{pipeline_id}/data-sources/{data_source_id}',
    [{ queryKey: [LIST], change: changeInterval }],
  );
  const toParams = ({ pipeline_id, data_source_id }: Source) => ({ pipeline_id, data_source_id });
  const columns: Column<Source>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ name, source_type }) => (
        <>
          <strong>{name}</strong>
          <br />
          <span className={styles.words}>{kind(source_type)}</span>
        </>
      ),
    },
    { key: 'state', header: t('State'), cell: (source) => <SourceState source={source} /> },
    { key: 'read', header: t('Last sync'), cell: (source) => lastRead(source) },
    {
      key: 'interval',
      header: t('Sync interval'),
      cell: (source) => (
        <Select
          label={t('Sync interval of {name}', { name: source.name })}
          hideLabel
          disabled={isRefused}
          choices={intervalChoices(source.sync_interval)}
          value={String(source.sync_interval ?? '')}
          onChange={({ target }) =>
            schedule.mutate({
              params: toParams(source),
              body: { sync_interval: target.value ? Number(target.value) : null },
            })
          }
        />
      ),
    },
    { key: 'next', header: t('Next sync'), cell: (source) => describeNextRead(source) },
    {
      key: 'act',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      number: true,
      cell: (source) => (
        <span className={styles.acts}>
          <Button
            writes
            small
            icon="retry"
            aria-label={t('Sync now: {name}', { name: source.name })}
            disabled={source.status === 'IN_PROGRESS' || sync.isPending}
            onClick={() => sync.mutate({ params: toParams(source) })}
          >
            {t('Sync now')}
          </Button>
          <IconButton
            writes
            small
            icon="trash"
            label={t('Remove {name}', { name: source.name })}
            onClick={() => onRemove(source)}
          />
        </span>
      ),
    },
  ];
  return (
    <>
      {sync.error && <Failure error={sync.error} what={t('The source could not be synced')} />}
      {schedule.error && <Failure error={schedule.error} what={t('The schedule could not be changed')} />}
      <Table
        label={t('Sources')}
        columns={columns}
        rows={sources}
        getRowKey={({ data_source_id }) => data_source_id}
      />
    </>
  );
}

/**
 * Returns false if the source was never read. `last_synced_at` then equals the time when the source was
 * added.
 */
const wasRead = ({ last_synced_at, created_at }: Source) => last_synced_at !== created_at;

const lastRead = (source: Source) =>
  wasRead(source) ? (
    <time title={moment(source.last_synced_at)}>{ago(source.last_synced_at)}</time>
  ) : (
    t('Never completed')
  );

function describeNextRead(source: Source): string {
  const next = getNextReadTime(source.last_synced_at, source.sync_interval);
  if (!next) return t('Manual only');
  return next.getTime() <= Date.now() ? t('Due now') : moment(next.toISOString());
}

function SourceState({ source }: { source: Source }) {
  const { pipeline_id, data_source_id, status } = source;
  const isFailed = status === 'ERROR';
  const { data } = useApiQuery(
    'GET /api/v1/pipelines/{pipeline_id}/data-sources/{data_source_id}/status',
    { params: { pipeline_id, data_source_id } },
    { enabled: isFailed },
  );
  return (
    <>
      <StatusBadge status={status} />
      {isFailed && data?.error?.map(({ message }) => <p key={message}>{message}</p>)}
    </>
  );
}
