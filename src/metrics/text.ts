import { METRICS, type Metric, type MetricName } from './registry.ts';
import type { Sample } from './sample.ts';

export type TextFormat = 'prometheus' | 'openmetrics';

export const CONTENT_TYPES: Record<TextFormat, string> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Returns the metrics format that an Accept header requests. The default is `prometheus`. */
export const chooseFormat = (accept: string | null): TextFormat =>
  accept?.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus';

/** Formats all metrics in the order of the registry, including metrics without samples. */
export function formatMetrics(samples: readonly Sample[], format: TextFormat): string {
  const byName = Map.groupBy(samples, ({ name }) => name);
  const lines = (Object.entries(METRICS) as [MetricName, Metric][]).flatMap(([name, metric]) => {
    const family = format === 'openmetrics' && metric.type === 'counter' ? name.replace(/_total$/, '') : name;
    return [
      `# HELP ${family} ${escapeText(metric.help)}`,
      `# TYPE ${family} ${metric.type}`,
      ...(byName.get(name) ?? []).flatMap((sample) => formatSample(sample, metric)),
    ];
  });
  return `${[...lines, ...(format === 'openmetrics' ? ['# EOF'] : [])].join('\n')}\n`;
}

function formatSample({ name, labels, values }: Sample, metric: Metric): string[] {
  const own = metric.labels.map(
    (label, at) => `${label}="${escapeText(labels[at] ?? '').replaceAll('"', '\\"')}"`,
  );
  if (metric.type !== 'histogram') return [`${name}${formatLabels(own)} ${values[0]}`];
  let sum = 0;
  const buckets = [...metric.buckets.map(String), '+Inf'].map((bound, at) => {
    sum += values[at] ?? 0;
    return `${name}_bucket${formatLabels([...own, `le="${bound}"`])} ${sum}`;
  });
  const total = values[metric.buckets.length + 1] ?? 0;
  return [...buckets, `${name}_sum${formatLabels(own)} ${total}`, `${name}_count${formatLabels(own)} ${sum}`];
}

const formatLabels = (labels: string[]) => (labels.length > 0 ? `{${labels.join(',')}}` : '');
const escapeText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
