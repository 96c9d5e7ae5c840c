import { METRICS, type Metric, type MetricName } from './registry.ts';
import type { Sample } from './sample.ts';

/** The two formats that scrapers read. They differ in how counters are named, and in how the text ends. */
export type TextFormat = 'prometheus' | 'openmetrics';

export const CONTENT_TYPES: Record<TextFormat, string> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Which of them a request's Accept asks for: the usual one unless the other is named. */
export const formatFor = (accept: string | null): TextFormat =>
  accept?.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus';

/** All samples as text, metric by metric in the order of the registry, also those of which nothing is known. */
export function metricsText(samples: readonly Sample[], format: TextFormat): string {
  const byName = Map.groupBy(samples, ({ name }) => name);
  const lines = (Object.entries(METRICS) as [MetricName, Metric][]).flatMap(([name, metric]) => {
    const family = format === 'openmetrics' && metric.type === 'counter' ? name.replace(/_total$/, '') : name;
    return [
      `# HELP ${family} ${escaped(metric.help)}`,
      `# TYPE ${family} ${metric.type}`,
      ...(byName.get(name) ?? []).flatMap((sample) => linesOf(sample, metric)),
    ];
  });
  return `${[...lines, ...(format === 'openmetrics' ? ['# EOF'] : [])].join('\n')}\n`;
}

function linesOf({ name, labels, values }: Sample, metric: Metric): string[] {
  const own = metric.labels.map(
    (label, at) => `${label}="${escaped(labels[at] ?? '').replaceAll('"', '\\"')}"`,
  );
  if (metric.type !== 'histogram') return [`${name}${braced(own)} ${values[0]}`];
  let sum = 0;
  const buckets = [...metric.buckets.map(String), '+Inf'].map((bound, at) => {
    sum += values[at] ?? 0;
    return `${name}_bucket${braced([...own, `le="${bound}"`])} ${sum}`;
  });
  const total = values[metric.buckets.length + 1] ?? 0;
  return [...buckets, `${name}_sum${braced(own)} ${total}`, `${name}_count${braced(own)} ${sum}`];
}

const braced = (labels: string[]) => (labels.length > 0 ? `{${labels.join(',')}}` : '');
const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
