import { Link } from 'wouter';
import { useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { ago } from '../../../ui/format.ts';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { isUnderWay, pollWhile } from '../../jobs/polling.ts';
import { formatAccuracy, getAccuracyLabel } from './labels.ts';
import { ACCURACY_RUNS, type AccuracyRun } from './operations.ts';

const SHOWN = ['f1', 'accuracy', 'macro_f1'] as const;

/** Table of the newest accuracy runs of the project, or of one truth set. */
export function AccuracyRunTable({ truthSetId }: { truthSetId?: string }) {
  const pathTo = useProjectPath();
  const read = useApiQuery(
    ACCURACY_RUNS,
    { query: { page_size: 100, truth_set_id: truthSetId } },
    {
      refetchInterval: ({ state }) => pollWhile(state.data?.items.some(({ status }) => isUnderWay(status))),
    },
  );
  const columns: Column<AccuracyRun>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ id, name }) => <Link to={pathTo(`/evaluations/accuracy-runs/${id}`)}>{name}</Link>,
    },
    { key: 'state', header: t('State'), cell: ({ status }) => <StatusBadge status={status} /> },
    ...(truthSetId
      ? []
      : [
          {
            key: 'set',
            header: t('Truth set'),
            cell: ({ truth_set_id, truth_set_name }: AccuracyRun) => (
              <Link to={pathTo(`/evaluations/truth-sets/${truth_set_id}`)}>{truth_set_name}</Link>
            ),
          },
        ]),
    ...SHOWN.map((name) => ({
      key: name,
      header: getAccuracyLabel(name),
      number: true,
      cell: ({ summary }: AccuracyRun) => formatAccuracy(summary?.metrics[name]),
    })),
    { key: 'created', header: t('Created'), cell: ({ created_at }) => ago(created_at) },
  ];
  return (
    <Loaded read={read} what={t('The runs could not be read')}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="play" title={t('No runs yet')}>
            {t('A run extracts from or classifies every file of a truth set and compares the results.')}
          </Empty>
        ) : (
          <Table label={t('Accuracy runs')} columns={columns} rows={items} getRowKey={({ id }) => id} />
        )
      }
    </Loaded>
  );
}
