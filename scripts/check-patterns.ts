import { globSync, readFileSync } from 'node:fs';

// A regular expression that a caller or a document has a say in goes through src/lib/pattern.ts, whose engine takes
// linear time. Here stands who else builds one from parts, and what those parts are.

const OWN_WORDS = 'fixed words and signs of the same module';
const ALLOWED: Record<string, string> = {
  'src/api/schemas.ts': 'prefixes of ids',
  'src/builtin/classification/classifier.ts': 'cues of genres; letters and digits of a quote',
  'src/builtin/classification/genres/genre.ts': OWN_WORDS,
  'src/builtin/extraction/layout.ts': 'a length',
  'src/builtin/extraction/parties.ts': OWN_WORDS,
  'src/builtin/extraction/read.ts': 'letters and digits of an option',
  'src/builtin/filter-inference/comparison.ts': OWN_WORDS,
  'src/builtin/filter-inference/dates.ts': OWN_WORDS,
  'src/builtin/filter-inference/find.ts': 'an escaped phrase',
  'src/builtin/question-kind.ts': OWN_WORDS,
  'src/ingest/chunking/ranges.ts': 'an escaped separator',
  'src/jobs/extract/model/support.ts': 'the digits of a number',
  'src/jobs/extract/values/numbers.ts': OWN_WORDS,
  'src/search/analysis.ts': 'names of scripts',
  'src/search/english-stemmer.ts': OWN_WORDS,
  'src/services/files/listing.ts': 'a direction of sorting',
  'src/services/secrets/key-ring.ts': OWN_WORDS,
};

const CALL = /(?<![\w.])(?:new\s+)?RegExp\(/;
const problems: string[] = [];
const met = new Set<string>();
for (const file of globSync('{src,durable-objects,queues,parser,ocr}/**/*.ts').toSorted()) {
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

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
