import type { Answer } from '../../../api/types.ts';
import { t } from '../../../i18n/messages.ts';
import { count } from '../../../ui/format.ts';
import layout from '../../../ui/layout.module.css';
import { Table } from '../../../ui/table.tsx';
import { getTypeLabel } from './labels.ts';

type Report = Answer<'GET /api/v1/evaluations/accuracy-runs/{run_id}/report'>;
/** Maximum number of types with a column of their own. */
const MAX_TYPES = 20;

/** Key of a type. The key of null differs from that of the type "null". */
const toKey = (type: string | null): string => JSON.stringify(type);

/** Table with a row for each expected type and a column for each type that was found. */
export function ConfusionMatrix({ report }: { report: Report }) {
  const { classes, confusion } = report;
  const counts = new Map(
    confusion.map((cell) => [`${toKey(cell.expected)} ${toKey(cell.actual)}`, cell.count]),
  );
  const shown = classes.slice(0, MAX_TYPES);
  const rows = classes.filter(({ expected_count }) => expected_count > 0);
  return (
    <>
      <Table
        label={t('Confusion matrix')}
        rows={rows}
        getRowKey={({ type }) => toKey(type)}
        columns={[
          { key: 'expected', header: t('Expected'), cell: ({ type }) => getTypeLabel(type) },
          ...shown.map(({ type: found }) => ({
            key: toKey(found),
            header: t('Found: {type}', { type: getTypeLabel(found) }),
            number: true,
            cell: ({ type }: Report['classes'][number]) => {
              const value = count(counts.get(`${toKey(type)} ${toKey(found)}`) ?? 0);
              return type === found ? <strong>{value}</strong> : value;
            },
          })),
        ]}
      />
      {classes.length > shown.length && (
        <p className={layout.soft}>{t('Only the first {count} types have columns.', { count: MAX_TYPES })}</p>
      )}
    </>
  );
}
