/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';
import { renderMetricsTable } from '#src/metrics/table.ts';

const documents = import.meta.glob<string>('../../docs/reference/metrics.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});
it('docs/reference/metrics.md lists all metrics (node scripts/metrics-table.ts)', () => {
  expect(Object.values(documents)[0]).toContain(`\n${renderMetricsTable()}\n`);
});
