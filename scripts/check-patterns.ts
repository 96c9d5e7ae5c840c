import { globSync, readFileSync } from 'node:fs';
import { ARGUED } from './patterns/argued.ts';
import { type Danger, dangerOf } from './patterns/backtracking.ts';
import { growingSteps } from './patterns/growth.ts';
import { literals } from './patterns/literals.ts';

// A regular expression that a caller or a document has a say in goes through src/lib/text/pattern.ts, whose engine takes
// linear time. Here stands who else builds one from parts, and what those parts are.

const OWN_WORDS = 'fixed words and signs of the same module';
const ALLOWED: Record<string, string> = {
  'src/api/operation/schemas.ts': 'prefixes of ids',
  'src/builtin/extraction/parties/address.ts': OWN_WORDS,
  'src/builtin/extraction/layout.ts': 'a length',
  'src/builtin/extraction/prose/question.ts': OWN_WORDS,
  'src/builtin/extraction/read.ts': 'letters and digits of an option',
  'src/builtin/filter-inference/comparison.ts': OWN_WORDS,
  'src/builtin/filter-inference/dates.ts': OWN_WORDS,
  'src/builtin/filter-inference/find.ts': 'an escaped phrase',
  'src/builtin/answering/reading.ts': OWN_WORDS,
  'src/ingest/chunking/ranges.ts': 'an escaped separator',
  'src/extraction/model/support.ts': 'the digits of a number',
  'src/extraction/values/durations.ts': OWN_WORDS,
  'src/extraction/values/numbers.ts': OWN_WORDS,
  'src/lib/secrets/redaction.ts': 'an escaped secret of at most three characters',
  'src/formats/shared/formulas/tokens.ts':
    'the tokens of a formula, put together; of 8192 characters at most',
  'src/search/letters.ts': 'a number of marks, and letters of a table in this file',
  'src/search/words.ts': 'names of scripts',
  'src/services/files/listing.ts': 'a direction of sorting',
  'src/services/secrets/key-ring.ts': OWN_WORDS,
};

const TIMES: Record<Danger, string> = {
  exponential: 'exponential time',
  polynomial: 'more than linear time, for parts of it can divide a text in many ways',
  'quadratic search': 'quadratic time, for it is looked for anew at each place of a run',
};
const CALL = /(?<![\w.])(?:new\s+)?RegExp\(/;
const SOURCES = '{src,durable-objects,queues,parser,ocr}/**/*.ts';
const problems: string[] = [];
const met = new Set<string>();
for (const file of globSync(SOURCES).toSorted()) {
  if (!CALL.test(readFileSync(file, 'utf8'))) continue;
  met.add(file);
  if (!Object.hasOwn(ALLOWED, file)) {
    problems.push(
      `${file} builds a regular expression: use compilePattern, or say in check-patterns.ts of what`,
    );
  }
}
for (const file of Object.keys(ALLOWED)) {
  if (!met.has(file))
    problems.push(`${file} builds no regular expression any more: take it off check-patterns.ts`);
}

// One that is written out has to take linear time on any text, or be argued for.
const argued = new Set<string>();
for (const { file, line, source, flags } of literals(SOURCES)) {
  const danger = dangerOf(source, flags);
  if (!danger) continue;
  const start = Object.keys(ARGUED[file] ?? {}).find((beginning) => source.startsWith(beginning));
  if (start !== undefined) argued.add(`${file} ${start}`);
  else problems.push(`${file}:${line} takes ${TIMES[danger]}: /${source}/${flags}`);
}
for (const [file, reasons] of Object.entries(ARGUED)) {
  for (const start of Object.keys(reasons)) {
    if (!argued.has(`${file} ${start}`))
      problems.push(`${file} has no slow /${start}… any more: take it off scripts/patterns/argued.ts`);
  }
}

// Loops and calls whose shape alone says that they take more than linear time, or that long lists end them.
const FEW_ITEMS: Record<string, string> = {
  'src/documents/layout/fonts.ts': 'the glyphs of one character',
  'src/extraction/model/extract.ts': 'at most one answer',
};
const READS_DOCUMENTS =
  /^src\/(?:builtin|classification|documents|extraction|formats|images|ingest|json-schema|lib|parse|parse-file|pdf-output|reading|retrieval|search|text-formats)\//;
const fewItems = new Set<string>();
for (const { file, line, problem } of growingSteps(SOURCES, (each) => READS_DOCUMENTS.test(each))) {
  if (Object.hasOwn(FEW_ITEMS, file)) fewItems.add(file);
  else problems.push(`${file}:${line} ${problem}`);
}
for (const file of Object.keys(FEW_ITEMS)) {
  if (!fewItems.has(file))
    problems.push(`${file} needs no exception any more: take it off check-patterns.ts`);
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
