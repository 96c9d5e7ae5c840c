/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';
import { METRICS } from '#src/metrics/registry.ts';
import { metricsTable } from '#src/metrics/table.ts';

const documents = import.meta.glob<string>('../../docs/operations.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const sources = import.meta.glob<string>(['../../{src,queues,durable-objects}/**/*.ts', '!**/registry.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

it('docs/operations.md has the metrics that there are (node scripts/metrics-table.ts)', () => {
  expect(Object.values(documents)[0]).toContain(`\n${metricsTable()}\n`);
});

it('every metric is counted somewhere', () => {
  const all = Object.values(sources).join('\n');
  const uncounted = Object.keys(METRICS).filter((name) => !all.includes(`'${name}'`));
  expect(uncounted).toEqual([]);
});
