import type { Answer } from '../../../api/types.ts';
import { t } from '../../../i18n/messages.ts';
import { count } from '../../../ui/format.ts';
import layout from '../../../ui/layout.module.css';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { useRunQuery } from '../use-run-query.ts';
import { CalibrationTable } from './calibration-table.tsx';
import { ConfusionMatrix } from './confusion-matrix.tsx';
import { formatAccuracy, getAccuracyLabel, getTypeLabel } from './labels.ts';
import type { AccuracyRun } from './operations.ts';

const REPORT = 'GET /api/v1/evaluations/accuracy-runs/{run_id}/report';
type Report = Answer<typeof REPORT>;
type Field = Report['fields'][number];
type Class = Report['classes'][number];
const SCORES = ['f1', 'precision', 'recall'] as const;

/** Measures of a run by field or by type, with the calibration of its confidences. */
export function AccuracyReport({ run }: { run: AccuracyRun }) {
  const read = useRunQuery(run, REPORT, { params: { run_id: run.id } });
  return (
    <Loaded read={read} what={t('The measures could not be read')}>
      {(report) =>
        report.fields.length === 0 && report.classes.length === 0 ? (
          <Empty icon="play" title={t('No file has been evaluated yet')} />
        ) : (
          <div className={layout.stack}>
            {report.kind === 'extraction' ? (
              <Fields fields={report.fields} />
            ) : (
              <>
                <Classes classes={report.classes} />
                <h2>{t('Confusion matrix')}</h2>
                <ConfusionMatrix report={report} />
              </>
            )}
            {report.calibration && (
              <>
                <h2>{t('Calibration of the confidences')}</h2>
                <CalibrationTable calibration={report.calibration} />
              </>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

const buildScores = <Row extends Record<(typeof SCORES)[number], number | null>>(): Column<Row>[] =>
  SCORES.map((name) => ({
    key: name,
    header: getAccuracyLabel(name),
    number: true,
    cell: (row) => formatAccuracy(row[name]),
  }));

function Fields({ fields }: { fields: Field[] }) {
  const columns: Column<Field>[] = [
    { key: 'field', header: t('Field'), cell: ({ field }) => field },
    ...buildScores<Field>(),
    { key: 'correct', header: t('Correct'), number: true, cell: ({ correct_count }) => count(correct_count) },
    { key: 'wrong', header: t('Wrong'), number: true, cell: ({ wrong_count }) => count(wrong_count) },
    { key: 'missing', header: t('Missing'), number: true, cell: ({ missing_count }) => count(missing_count) },
    {
      key: 'invented',
      header: t('Invented'),
      number: true,
      cell: ({ invented_count }) => count(invented_count),
    },
    {
      key: 'calibration',
      header: getAccuracyLabel('calibration_error'),
      number: true,
      cell: ({ calibration }) => formatAccuracy(calibration?.error),
    },
  ];
  return <Table label={t('Fields')} columns={columns} rows={fields} getRowKey={({ field }) => field} />;
}

function Classes({ classes }: { classes: Class[] }) {
  const columns: Column<Class>[] = [
    { key: 'type', header: t('Type'), cell: ({ type }) => getTypeLabel(type) },
    ...buildScores<Class>(),
    {
      key: 'expected',
      header: t('Expected'),
      number: true,
      cell: ({ expected_count }) => count(expected_count),
    },
    { key: 'found', header: t('Found'), number: true, cell: ({ predicted_count }) => count(predicted_count) },
    { key: 'correct', header: t('Correct'), number: true, cell: ({ correct_count }) => count(correct_count) },
  ];
  return (
    <Table
      label={t('Types')}
      columns={columns}
      rows={classes}
      getRowKey={({ type }) => JSON.stringify(type)}
    />
  );
}
