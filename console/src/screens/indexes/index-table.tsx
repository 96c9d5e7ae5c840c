import { useState } from 'react';
import { Link } from 'wouter';
import { useApiMutation } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { ago, count } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useEmbeddingName } from '../index/connections.ts';
import { DeleteIndex } from '../index/delete-index.tsx';
import { FileStates, type StateCounts } from '../index/file-states.tsx';
import { toIndexState } from '../index/use-status.ts';
import styles from './indexes.module.css';

export function IndexTable({ indexes }: { indexes: Pipeline[] }) {
  const pathTo = useProjectPath();
  const embedding = useEmbeddingName();
  const [deleting, setDeleting] = useState<Pipeline>();
  const copy = useApiMutation('POST /api/v1/pipelines/{pipeline_id}/copy', ['GET /api/v1/pipelines']);
  const copyOne = ({ id }: Pipeline) =>
    copy.mutate(
      { params: { pipeline_id: id } },
      { onSuccess: ({ name }) => notify(t('Copied as {name}.', { name })) },
    );
  const columns: Column<Pipeline>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ id, name, pipeline_type }) => (
        <span className={styles.name}>
          <Link to={pathTo(`/indexes/${id}`)}>{name}</Link>
          {pipeline_type === 'PLAYGROUND' && <Badge>{t('Playground')}</Badge>}
        </span>
      ),
    },
    {
      key: 'state',
      header: t('State'),
      cell: ({ status, ingestion }) => (
        <StatusBadge status={status === 'DELETING' ? status : toIndexState(ingestion?.status)} />
      ),
    },
    { key: 'files', header: t('Files'), cell: ({ counts }) => <FileStates counts={mergeCounts(counts)} /> },
    { key: 'run', header: t('Last sync'), cell: (index) => <LastRun index={index} /> },
    { key: 'embedding', header: t('Embedding'), cell: (index) => embedding(index) },
    {
      key: 'menu',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      number: true,
      cell: (index) =>
        index.status !== 'DELETING' && (
          <Menu
            label={t('Actions for {name}', { name: index.name })}
            items={[
              { label: t('Copy'), icon: 'copy', onChoose: () => copyOne(index) },
              { label: t('Delete'), icon: 'trash', danger: true, onChoose: () => setDeleting(index) },
            ]}
          />
        ),
    },
  ];
  return (
    <>
      {copy.error && <Failure error={copy.error} what={t('The index could not be copied')} />}
      <Table label={t('Indexes')} columns={columns} rows={indexes} getRowKey={({ id }) => id} />
      {deleting && <DeleteIndex index={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

/** Adds up the state counts of files and texts, because an index contains both. */
function mergeCounts(counts: Pipeline['counts']): StateCounts {
  const { files = {}, documents = {} } = counts ?? {};
  const states = new Set([...Object.keys(files), ...Object.keys(documents)]);
  return Object.fromEntries(
    [...states].map((state) => [state, (files[state] ?? 0) + (documents[state] ?? 0)]),
  );
}

function LastRun({ index: { ingestion } }: { index: Pipeline }) {
  const { newest_job: job, items } = ingestion ?? {};
  if (items) {
    const { done, failed, waiting, running } = items;
    const total = done + failed + waiting + running;
    return total > 0
      ? t('{done} of {total}', { done: count(done + failed), total: count(total) })
      : t('Starting');
  }
  return job ? ago(job.finished_at ?? job.started_at) : t('Never');
}
