import { useState } from 'react';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Select } from '../../ui/field.tsx';
import { formatScore } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { formatMetric, getMetricLabel, METRIC_NAMES, type MetricName } from './metrics.ts';
import { RUNS, type Run } from './operations.ts';

const COMPARE = 'GET /api/v1/evaluations/runs/{run_id}/compare';
type Comparison = Answer<typeof COMPARE>;
type Change = Comparison['changes'][number];

/** Compares a run with another run of the same question set. */
export function RunComparison({ run }: { run: Run }) {
  const others = useApiQuery(RUNS, { query: { page_size: 100, question_set_id: run.question_set_id } });
  const [chosen, setChosen] = useState<string>();
  const [metric, setMetric] = useState<MetricName>('ndcg@10');
  const choices = (others.data?.items ?? [])
    .filter(({ id }) => id !== run.id)
    .map(({ id, name }) => ({ value: id, label: name }));
  const baseline = chosen ?? choices[0]?.value;
  if (others.data && baseline === undefined) {
    return (
      <Empty icon="compare" title={t('No other run of this question set')}>
        {t('Run the set again with other settings to compare them.')}
      </Empty>
    );
  }
  return (
    <div className={layout.stack}>
      <div className={layout.row}>
        <Select
          label={t('Baseline')}
          choices={choices}
          value={baseline ?? ''}
          onChange={({ target }) => setChosen(target.value)}
        />
        <Select
          label={t('Measure')}
          choices={METRIC_NAMES.map((name) => ({ value: name, label: getMetricLabel(name) }))}
          value={metric}
          onChange={({ target }) => setMetric(target.value as MetricName)}
        />
      </div>
      {baseline && <Compared runId={run.id} baseline={baseline} metric={metric} />}
    </div>
  );
}

function Compared({ runId, baseline, metric }: { runId: string; baseline: string; metric: MetricName }) {
  const read = useApiQuery(COMPARE, {
    params: { run_id: runId },
    query: { with: baseline, metric, page_size: 100 },
  });
  return (
    <Loaded read={read} what={t('The runs could not be compared')}>
      {(comparison) => (
        <>
          <Verdict comparison={comparison} metric={metric} />
          {comparison.changes.length > 0 && <Changes changes={comparison.changes} metric={metric} />}
        </>
      )}
    </Loaded>
  );
}

const TONES: Partial<Record<Comparison['verdict'], Tone>> = { better: 'good', worse: 'bad' };

function Verdict({ comparison, metric }: { comparison: Comparison; metric: MetricName }) {
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
            metric: getMetricLabel(metric),
            value: formatMetric(metric, mean),
            baseline: formatMetric(metric, baseline_mean),
            low: formatDifference(metric, interval.low),
            high: formatDifference(metric, interval.high),
          },
        )}
      </p>
      <p className={layout.soft}>
        {t(
          '{improved, plural, one {# question} other {# questions}} improved, {worsened} got worse, {unchanged} stayed the same.',
          {
            improved: comparison.improved_count,
            worsened: comparison.worsened_count,
            unchanged: comparison.unchanged_count,
          },
        )}
      </p>
      {comparison.edited_count > 0 && (
        <p className={layout.soft}>
          {t(
            '{count, plural, one {# question was} other {# questions were}} edited between the runs and not compared.',
            { count: comparison.edited_count },
          )}
        </p>
      )}
    </>
  );
}

const formatDifference = (metric: MetricName, value: number): string =>
  metric.endsWith('latency_ms')
    ? t('{milliseconds} ms', { milliseconds: Math.round(value) })
    : formatScore(value);

function Changes({ changes, metric }: { changes: Change[]; metric: MetricName }) {
  const columns: Column<Change>[] = [
    { key: 'text', header: t('Question'), cell: ({ text }) => text },
    {
      key: 'before',
      header: t('Baseline'),
      number: true,
      cell: ({ baseline_value }) => formatMetric(metric, baseline_value),
    },
    {
      key: 'after',
      header: t('This run'),
      number: true,
      cell: ({ value }) => formatMetric(metric, value),
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
  ];
  return (
    <Table
      label={t('Changed questions')}
      columns={columns}
      rows={changes}
      getRowKey={({ question_id }) => question_id}
    />
  );
}
