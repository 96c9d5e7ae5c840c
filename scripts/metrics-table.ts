import { readFileSync, writeFileSync } from 'node:fs';
import { metricsTable } from '../src/metrics/table.ts';

// Writes the table of metrics into docs/operations.md as the registry has it; test/metrics/table.test.ts holds it to that.

const DOCUMENT = 'docs/operations.md';
const TABLE = /^\| metric \|.*\n(\|.*\n)+/m;

const text = readFileSync(DOCUMENT, 'utf8');
if (!TABLE.test(text)) throw new Error(`${DOCUMENT} has no table of metrics`);
writeFileSync(
  DOCUMENT,
  text.replace(TABLE, () => `${metricsTable()}\n`),
);
