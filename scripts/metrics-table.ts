import { readFileSync, writeFileSync } from 'node:fs';
import { renderMetricsTable } from '../src/metrics/table.ts';

// Writes the table of metrics from the registry into docs/reference/metrics.md. test/metrics/table.test.ts
// checks that they agree.

const DOCUMENT = 'docs/reference/metrics.md';
const TABLE = /^\| metric \|.*\n(\|.*\n)+/m;

const text = readFileSync(DOCUMENT, 'utf8');
if (!TABLE.test(text)) throw new Error(`${DOCUMENT} contains no table of metrics`);
writeFileSync(
  DOCUMENT,
  text.replace(TABLE, () => `${renderMetricsTable()}\n`),
);
