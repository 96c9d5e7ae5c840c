import { METRICS } from './registry.ts';

/** The registry as docs/operations.md shows it; `node scripts/metrics-table.ts` writes it there. */
export function metricsTable(): string {
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  return ['| metric | type | labels | |', '|---|---|---|---|', ...rows].join('\n');
}
