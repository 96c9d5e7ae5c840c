import { Link } from 'wouter';
import { useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { ago } from '../../../ui/format.ts';
import { Loaded } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { isUnderWay, pollWhile } from '../../jobs/polling.ts';
import { getMetricLabel } from '../metrics.ts';
import { SWEEPS, type Sweep } from './operations.ts';

/** Table of the searches for better settings with a question set. Shows nothing if there are none. */
export default function SweepTable({ questionSetId }: { questionSetId: string }) {
  const pathTo = useProjectPath();
  const read = useApiQuery(
    SWEEPS,
    { query: { page_size: 100, question_set_id: questionSetId } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const columns: Column<Sweep>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ id, name }) => <Link to={pathTo(`/evaluations/sweeps/${id}`)}>{name}</Link>,
    },
    { key: 'state', header: t('State'), cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'metric', header: t('Measure'), cell: ({ metric }) => getMetricLabel(metric) },
    { key: 'best', header: t('Best settings'), cell: ({ result }) => result?.name ?? '' },
    { key: 'created', header: t('Created'), cell: ({ created_at }) => ago(created_at) },
  ];
  return (
    <Loaded read={read} what={t('The searches could not be read')}>
      {({ items }) =>
        items.length === 0 ? null : (
          <>
            <h2>{t('Searches for better settings')}</h2>
            <Table
              label={t('Searches for better settings')}
              columns={columns}
              rows={items}
              getRowKey={({ id }) => id}
            />
          </>
        )
      }
    </Loaded>
  );
}
