import { Link } from 'wouter';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ago } from '../../ui/format.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { formatMetric, getMetricLabel } from './metrics.ts';
import { RUNS, type Run } from './operations.ts';

const SHOWN = ['recall@5', 'ndcg@10', 'mrr'] as const;

/** Table of the newest runs of the project, or of one question set. */
export function RunTable({ questionSetId }: { questionSetId?: string }) {
  const pathTo = useProjectPath();
  const read = useApiQuery(
    RUNS,
    { query: { page_size: 100, question_set_id: questionSetId } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const columns: Column<Run>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ id, name }) => <Link to={pathTo(`/evaluations/runs/${id}`)}>{name}</Link>,
    },
    { key: 'state', header: t('State'), cell: ({ status }) => <StatusBadge status={status} /> },
    ...(questionSetId
      ? []
      : [
          {
            key: 'set',
            header: t('Question set'),
            cell: ({ question_set_id, question_set_name }: Run) => (
              <Link to={pathTo(`/evaluations/sets/${question_set_id}`)}>{question_set_name}</Link>
            ),
          },
        ]),
    { key: 'target', header: t('Searched'), cell: ({ target_name }) => target_name },
    ...SHOWN.map((name) => ({
      key: name,
      header: getMetricLabel(name),
      number: true,
      cell: ({ summary }: Run) => formatMetric(name, summary?.metrics[name]),
    })),
    { key: 'created', header: t('Created'), cell: ({ created_at }) => ago(created_at) },
  ];
  return (
    <Loaded read={read} what={t('The runs could not be read')}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="play" title={t('No runs yet')}>
            {t('A run searches an index with every question of a set and measures the results.')}
          </Empty>
        ) : (
          <Table label={t('Runs')} columns={columns} rows={items} getRowKey={({ id }) => id} />
        )
      }
    </Loaded>
  );
}
