import { METRICS } from './registry.ts';

/**
 * Returns the registry as the Markdown table in docs/reference/metrics.md. `node scripts/metrics-table.ts`
 * writes the table there.
 */
export function renderMetricsTable(): string {
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  return ['| metric | type | labels | |', '|---|---|---|---|', ...rows].join('\n');
}
