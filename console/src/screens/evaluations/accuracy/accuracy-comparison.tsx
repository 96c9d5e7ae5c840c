import { useState } from 'react';
import { useApiQuery } from '../../../api/hooks.ts';
import type { Answer } from '../../../api/types.ts';
import { t } from '../../../i18n/messages.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Select } from '../../../ui/field.tsx';
import { formatScore } from '../../../ui/format.ts';
import layout from '../../../ui/layout.module.css';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { formatAccuracy, getAccuracyLabel, getTypeLabel } from './labels.ts';
import { ACCURACY_RUNS, type AccuracyRun } from './operations.ts';

const COMPARE = 'GET /api/v1/evaluations/accuracy-runs/{run_id}/compare';
type Comparison = Answer<typeof COMPARE>;
type Change = Comparison['changes'][number];
type FieldChange = Comparison['changed_fields'][number];

/** Compares a run with another run of the same truth set. */
export function AccuracyComparison({ run }: { run: AccuracyRun }) {
  const others = useApiQuery(ACCURACY_RUNS, { query: { page_size: 100, truth_set_id: run.truth_set_id } });
  const [chosen, setChosen] = useState<string>();
  const choices = (others.data?.items ?? [])
    .filter(({ id }) => id !== run.id)
    .map(({ id, name }) => ({ value: id, label: name }));
  const baseline = chosen ?? choices[0]?.value;
  if (others.data && baseline === undefined) {
    return (
      <Empty icon="compare" title={t('No other run of this truth set')}>
        {t('Run the set again with another configuration to compare them.')}
      </Empty>
    );
  }
  return (
    <div className={layout.stack}>
      <Select
        label={t('Baseline')}
        choices={choices}
        value={baseline ?? ''}
        onChange={({ target }) => setChosen(target.value)}
      />
      {baseline && <Compared runId={run.id} baseline={baseline} />}
    </div>
  );
}

function Compared({ runId, baseline }: { runId: string; baseline: string }) {
  const read = useApiQuery(COMPARE, {
    params: { run_id: runId },
    query: { with: baseline, page_size: 100 },
  });
  return (
    <Loaded read={read} what={t('The runs could not be compared')}>
      {(comparison) => (
        <>
          <Verdict comparison={comparison} />
          {comparison.changed_fields.length > 0 && <ChangedFields rows={comparison.changed_fields} />}
          {comparison.changes.length > 0 && <ChangedFiles comparison={comparison} />}
        </>
      )}
    </Loaded>
  );
}

const TONES: Partial<Record<Comparison['verdict'], Tone>> = { better: 'good', worse: 'bad' };

function Verdict({ comparison }: { comparison: Comparison }) {
  const { verdict, mean, baseline_mean, confidence_interval: interval } = comparison;
  const words = { better: t('Better'), worse: t('Worse'), no_clear_difference: t('No clear difference') };
  const tone = TONES[verdict];
  return (
    <>
      <p>
        <Badge {...(tone && { tone })}>{words[verdict]}</Badge>{' '}
        {t(
          '{metric}: {value} instead of {baseline}. The 95 % confidence interval of the difference is {low} to {high}.',
          {
            metric: getAccuracyLabel(comparison.metric),
            value: formatScore(mean),
            baseline: formatScore(baseline_mean),
            low: formatScore(interval.low),
            high: formatScore(interval.high),
          },
        )}
      </p>
      <p className={layout.soft}>
        {t(
          '{improved, plural, one {# file} other {# files}} improved, {worsened} got worse, {unchanged} stayed the same.',
          {
            improved: comparison.improved_count,
            worsened: comparison.worsened_count,
            unchanged: comparison.unchanged_count,
          },
        )}
      </p>
    </>
  );
}

function ChangedFields({ rows }: { rows: FieldChange[] }) {
  const columns: Column<FieldChange>[] = [
    { key: 'field', header: t('Field'), cell: ({ field }) => field },
    {
      key: 'before',
      header: t('Baseline'),
      number: true,
      cell: ({ baseline_f1 }) => formatAccuracy(baseline_f1),
    },
    { key: 'after', header: t('This run'), number: true, cell: ({ f1 }) => formatAccuracy(f1) },
  ];
  return <Table label={t('Changed fields')} columns={columns} rows={rows} getRowKey={({ field }) => field} />;
}

function ChangedFiles({ comparison }: { comparison: Comparison }) {
  const isClassification = comparison.metric === 'accuracy';
  const columns: Column<Change>[] = [
    { key: 'file', header: t('File'), cell: ({ file_name }) => file_name },
    {
      key: 'before',
      header: t('Baseline'),
      number: !isClassification,
      cell: ({ baseline_value, baseline_type }) =>
        isClassification ? getTypeLabel(baseline_type) : formatScore(baseline_value),
    },
    {
      key: 'after',
      header: t('This run'),
      number: !isClassification,
      cell: ({ value, type }) => (isClassification ? getTypeLabel(type) : formatScore(value)),
    },
    {
      key: 'change',
      header: t('Change'),
      cell: ({ change }) => (
        <Badge tone={change === 'improved' ? 'good' : 'bad'}>
          {change === 'improved' ? t('Improved') : t('Got worse')}
        </Badge>
      ),
    },
    ...(isClassification
      ? []
      : [
          {
            key: 'fields',
            header: t('Changed fields'),
            cell: ({ fields }: Change) => fields.map(({ field }) => field).join(', '),
          },
        ]),
  ];
  return (
    <Table
      label={t('Changed files')}
      columns={columns}
      rows={comparison.changes}
      getRowKey={({ file_id }) => file_id}
    />
  );
}
