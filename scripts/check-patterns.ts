import { globSync, readFileSync } from 'node:fs';
import { type Danger, findDanger } from './patterns/backtracking.ts';
import { SLOW_PATTERN_EXCEPTIONS } from './patterns/exceptions.ts';
import { findGrowingSteps } from './patterns/growth.ts';
import { findLiterals } from './patterns/literals.ts';

// Regular expressions that callers or documents determine must use src/lib/text/pattern.ts, whose engine runs
// in linear time. This table lists the files that may build an expression from parts, with the origin of the
// parts.

const OWN_WORDS = 'fixed words and characters of the same module';
const ALLOWED: Record<string, string> = {
  'src/api/operation/schemas.ts': 'prefixes of ids',
  'src/builtin/extraction/parties/address-shape.ts': OWN_WORDS,
  'src/builtin/extraction/layout.ts': 'a length',
  'src/builtin/extraction/prose/question.ts': OWN_WORDS,
  'src/builtin/extraction/read.ts': 'letters and digits of an option',
  'src/builtin/filter-inference/comparison.ts': OWN_WORDS,
  'src/builtin/filter-inference/dates.ts': OWN_WORDS,
  'src/builtin/filter-inference/find.ts': 'an escaped phrase',
  'src/builtin/answering/find-pieces.ts': OWN_WORDS,
  'src/ingest/chunking/ranges.ts': 'an escaped separator',
  'src/extraction/model/support.ts': 'the digits of a number',
  'src/extraction/values/durations.ts': OWN_WORDS,
  'src/extraction/values/numbers.ts': OWN_WORDS,
  'src/lib/secrets/redaction.ts': 'an escaped secret of at most three characters',
  'src/formats/shared/formulas/tokens.ts': 'the joined tokens of a formula, at most 8192 characters',
  'src/search/letters.ts': 'a number of marks, and letters of a table in this file',
  'src/search/words.ts': 'names of scripts',
  'src/services/files/listing.ts': 'a direction of sorting',
  'src/services/secrets/key-ring.ts': OWN_WORDS,
};

const DANGER_TEXTS: Record<Danger, string> = {
  exponential: 'exponential time',
  polynomial: 'more than linear time, because its parts can divide a text in many ways',
  'quadratic search': 'quadratic time, because the search starts again at each position of a run',
};
const CALL = /(?<![\w.])(?:new\s+)?RegExp\(/;
const SOURCES = '{src,durable-objects,queues,parser,ocr}/**/*.ts';
const problems: string[] = [];
const seen = new Set<string>();
for (const file of globSync(SOURCES).toSorted()) {
  if (!CALL.test(readFileSync(file, 'utf8'))) continue;
  seen.add(file);
  if (!Object.hasOwn(ALLOWED, file)) {
    problems.push(
      `${file} builds a regular expression. Use compilePattern, or add the file to ALLOWED in check-patterns.ts.`,
    );
  }
}
for (const file of Object.keys(ALLOWED)) {
  if (!seen.has(file))
    problems.push(
      `${file} no longer builds a regular expression. Remove the file from ALLOWED in check-patterns.ts.`,
    );
}

// Every regular expression literal must take linear time on any text, or be listed in
// scripts/patterns/exceptions.ts.
const excepted = new Set<string>();
for (const { file, line, source, flags } of findLiterals(SOURCES)) {
  const danger = findDanger(source, flags);
  if (!danger) continue;
  const start = Object.keys(SLOW_PATTERN_EXCEPTIONS[file] ?? {}).find((beginning) =>
    source.startsWith(beginning),
  );
  if (start !== undefined) excepted.add(`${file} ${start}`);
  else problems.push(`${file}:${line} takes ${DANGER_TEXTS[danger]}: /${source}/${flags}`);
}
for (const [file, reasons] of Object.entries(SLOW_PATTERN_EXCEPTIONS)) {
  for (const start of Object.keys(reasons)) {
    if (!excepted.has(`${file} ${start}`))
      problems.push(
        `${file} no longer has a slow expression /${start}…/. Remove it from scripts/patterns/exceptions.ts.`,
      );
  }
}

// The last check finds loops and calls that take more than linear time or fail for long lists. This table
// lists files whose lists are short, with the reason.
const FEW_ITEMS: Record<string, string> = {
  'src/documents/layout/fonts.ts': 'the glyphs of one character',
  'src/extraction/model/extract.ts': 'at most one answer',
};
const READS_DOCUMENTS =
  /^src\/(?:builtin|classification|documents|extraction|formats|images|ingest|json-schema|lib|parse|parse-file|pdf-output|reading|retrieval|search|text-formats)\//;
const fewItems = new Set<string>();
for (const { file, line, problem } of findGrowingSteps(SOURCES, (each) => READS_DOCUMENTS.test(each))) {
  if (Object.hasOwn(FEW_ITEMS, file)) fewItems.add(file);
  else problems.push(`${file}:${line} ${problem}`);
}
for (const file of Object.keys(FEW_ITEMS)) {
  if (!fewItems.has(file))
    problems.push(`${file} no longer needs an exception. Remove it from FEW_ITEMS in check-patterns.ts.`);
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
