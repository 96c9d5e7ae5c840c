/**
 * Field precision, recall and F1 of the built-in extractor beside a regex baseline, per kind of document.
 * Run: npm run bench:extract   (CORPORA=<dir>; add a word of a file's name to print its wrong fields)
 */
import { join } from 'node:path';
import { extractBuiltin } from '#src/builtin/extraction/extractor.ts';
import { checkEvidence } from '#src/jobs/extract/check-evidence.ts';
import { buildResult } from '#src/jobs/extract/result.ts';
import type { JsonSchema } from '#src/jobs/extract/schema.ts';
import { CORPORA, readManifest } from './corpora.ts';
import { regexBaseline } from './extract-baseline.ts';
import { add, type Counts, rates, same, score } from './extract-scoring.ts';
import { startParsing } from './parsing/client.ts';

interface Item {
  group: string;
  file: string;
  schema: JsonSchema;
  expected: Record<string, unknown>;
}

const NOTHING: Counts = { correct: 0, returned: 0, expected: 0 };
const KINDS: Record<string, string> = { ntsb: 'accident reports' };
const shown = process.argv[2];

const items = readManifest<Item[]>('extract');
const results = new Map<
  string,
  { documents: number; ours: Counts; regex: Counts; cited: number; leaves: number }
>();
let milliseconds = 0;
let pageCount = 0;

const parsing = await startParsing();
for (const item of items) {
  const { pages } = await parsing.parse(join(CORPORA, item.file)).catch((error: unknown) => {
    console.log(`could not be parsed: ${String(error)}`);
    return { pages: [] };
  });
  const start = performance.now();
  const options = {
    schema: item.schema,
    target: 'per_doc',
    citeSources: true,
    confidenceScores: true,
  } as const;
  const found = (await extractBuiltin(item.schema, pages, 'per_doc')).map((one) => checkEvidence(pages, one));
  const result = buildResult(found, options);
  milliseconds += performance.now() - start;
  pageCount += pages.length;

  const ours = result.extract_result as Record<string, unknown>;
  const regex = regexBaseline(item.schema, pages.map((page) => page.text).join('\n'));
  const citations = JSON.stringify(result.field_metadata).match(/"citation":\[\{/g)?.length ?? 0;
  for (const kind of [item.group, KINDS[item.group] ?? 'invoices']) {
    const row = results.get(kind) ?? { documents: 0, ours: NOTHING, regex: NOTHING, cited: 0, leaves: 0 };
    const counts = score(ours, item.expected);
    results.set(kind, {
      documents: row.documents + 1,
      ours: add(row.ours, counts),
      regex: add(row.regex, score(regex, item.expected)),
      cited: row.cited + Math.min(citations, counts.returned),
      leaves: row.leaves + counts.returned,
    });
  }
  if (shown && (shown === 'all' || item.file.includes(shown))) printWrong(item, ours);
}

const format = (value: number) => value.toFixed(3).padStart(9);
console.log(
  '\nkind              docs  fields | built-in    P        R       F1 | regex   P        R       F1 | with citation',
);
for (const [kind, row] of results) {
  const [a, b] = [rates(row.ours), rates(row.regex)];
  console.log(
    `${kind.padEnd(17)}${String(row.documents).padStart(5)}${String(row.ours.expected).padStart(8)} |${format(a.precision)}${format(a.recall)}${format(a.f1)} |${format(b.precision)}${format(b.recall)}${format(b.f1)} |${format(row.cited / Math.max(1, row.leaves))}`,
  );
}
await parsing.stop();
console.log(`\n${pageCount} pages extracted in ${milliseconds.toFixed(0)} ms, parsing apart`);

function printWrong(item: Item, actual: Record<string, unknown>): void {
  console.log(item.file);
  for (const [name, expected] of Object.entries(item.expected)) {
    if (same(actual[name], expected)) continue;
    console.log(`  ${name}: ${JSON.stringify(actual[name])} instead of ${JSON.stringify(expected)}`);
  }
}
