import type { Answer } from '../../../api/types.ts';
import { t } from '../../../i18n/messages.ts';
import { count, percent } from '../../../ui/format.ts';
import { type Column, Table } from '../../../ui/table.tsx';

type Calibration = NonNullable<
  Answer<'GET /api/v1/evaluations/accuracy-runs/{run_id}/report'>['calibration']
>;
type Bin = Calibration['bins'][number];

/** Bins of confidences with the share of the values that is correct. */
export function CalibrationTable({ calibration }: { calibration: Calibration }) {
  const columns: Column<Bin>[] = [
    {
      key: 'range',
      header: t('Confidence'),
      cell: ({ low, high }) => t('{low} to {high}', { low: percent(low), high: percent(high) }),
    },
    { key: 'count', header: t('Values'), number: true, cell: (bin) => count(bin.count) },
    {
      key: 'confidence',
      header: t('Mean confidence'),
      number: true,
      cell: ({ confidence }) => percent(confidence),
    },
    { key: 'accuracy', header: t('Correct'), number: true, cell: ({ accuracy }) => percent(accuracy) },
  ];
  return (
    <Table
      label={t('Calibration of the confidences')}
      columns={columns}
      rows={calibration.bins}
      getRowKey={({ low }) => String(low)}
    />
  );
}
