import { useState } from 'react';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Select } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { formatMetric, getMetricLabel } from './metrics.ts';
import { useRunQuery } from './use-run-query.ts';

const BREAKDOWN = 'GET /api/v1/evaluations/runs/{run_id}/breakdown';
type Group = Answer<typeof BREAKDOWN>['groups'][number];
const SHOWN = ['recall@5', 'ndcg@10', 'mrr'] as const;

/** Means of a run for the questions of each tag or document. */
export function Breakdown({ run }: { run: { id: string; status: string } }) {
  const [by, setBy] = useState<'tag' | 'document'>('tag');
  const read = useRunQuery(run, BREAKDOWN, { params: { run_id: run.id }, query: { by } });
  const columns: Column<Group>[] = [
    { key: 'name', header: by === 'tag' ? t('Tag') : t('Document'), cell: ({ name, key }) => name ?? key },
    {
      key: 'count',
      header: t('Questions'),
      number: true,
      cell: ({ completed_count }) => count(completed_count),
    },
    ...SHOWN.map((name) => ({
      key: name,
      header: getMetricLabel(name),
      number: true,
      cell: ({ metrics }: Group) => formatMetric(name, metrics[name]),
    })),
  ];
  return (
    <>
      <Select
        label={t('Group by')}
        choices={[
          { value: 'tag', label: t('Tag') },
          { value: 'document', label: t('Expected document') },
        ]}
        value={by}
        onChange={({ target }) => setBy(target.value === 'document' ? 'document' : 'tag')}
      />
      <Loaded read={read} what={t('The measures could not be read')}>
        {({ groups }) =>
          groups.length === 0 ? (
            <Empty
              icon="search"
              title={by === 'tag' ? t('No question has a tag') : t('No documents expected')}
            />
          ) : (
            <Table label={t('Measures')} columns={columns} rows={groups} getRowKey={({ key }) => key} />
          )
        }
      </Loaded>
    </>
  );
}
