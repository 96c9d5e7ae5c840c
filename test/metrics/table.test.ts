/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';
import { METRICS } from '#src/metrics/registry.ts';
import { renderMetricsTable } from '#src/metrics/table.ts';

const documents = import.meta.glob<string>('../../docs/reference/metrics.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const sources = import.meta.glob<string>(['../../{src,queues,durable-objects}/**/*.ts', '!**/registry.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

it('docs/reference/metrics.md lists all metrics (node scripts/metrics-table.ts)', () => {
  expect(Object.values(documents)[0]).toContain(`\n${renderMetricsTable()}\n`);
});

it('every metric is counted in the source', () => {
  const all = Object.values(sources).join('\n');
  const uncounted = Object.keys(METRICS).filter((name) => !all.includes(`'${name}'`));
  expect(uncounted).toEqual([]);
});
