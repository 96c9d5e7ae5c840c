import { t } from '../../i18n/messages.ts';
import { duration, formatScore } from '../../ui/format.ts';

/** Measures in the order in which they are shown. */
export const METRIC_NAMES = [
  'recall@5',
  'ndcg@10',
  'mrr',
  'hit@1',
  'hit@3',
  'hit@5',
  'hit@10',
  'recall@1',
  'recall@3',
  'recall@10',
  'said',
  'cited',
  'refused_correctly',
  'latency_ms',
  'answer_latency_ms',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

/** Measures that are shown in large type. */
export const MAIN_METRICS = ['recall@5', 'ndcg@10', 'mrr', 'said', 'cited', 'latency_ms'] as const;

/** Names of ranking measures, which are the same in every language. */
const SPELLED = new Map([
  ['mrr', 'MRR'],
  ['ndcg@10', 'nDCG@10'],
]);

export function getMetricLabel(name: string): string {
  const labels: Record<string, string> = {
    said: t('Expected answer given'),
    cited: t('Expected source cited'),
    refused_correctly: t('Refused where expected'),
    latency_ms: t('Time of the search'),
    answer_latency_ms: t('Time of the answer'),
  };
  return labels[name] ?? SPELLED.get(name) ?? name;
}

/** Formats the value of a measure: a time, or a number between 0 and 1. */
export const formatMetric = (name: string, value: number | undefined): string =>
  value !== undefined && name.endsWith('latency_ms') ? duration(value / 1000) : formatScore(value);
