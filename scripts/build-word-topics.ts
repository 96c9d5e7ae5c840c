// Makes src/builtin/word-vectors/topics.ts: what texts in general are about, as groups of words that the vectors of
// word-vectors/table.ts lie closest together in. `--check` writes nothing and fails when the committed file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { STEMS } from '#src/builtin/word-vectors/table.ts';
import { cosine, loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';

/** The words that are grouped: the very commonest say nothing, the rarest are names. */
const FROM = 150;
const TO = 8_000;
const TOPICS = 32;
/** The groups are begun with words that are evenly spread over so many of the commonest. */
const BEGUN_WITHIN = 4_000;
const ROUNDS = 12;
const WORDS_OF_A_TOPIC = 8;

const output = new URL('../src/builtin/word-vectors/topics.ts', import.meta.url);
const vectors = await loadWordVectors();
const stems = STEMS.split(' ').slice(0, TO);
const rows = stems.map((_, vector) => vectors.sum([{ vector, sureness: 1, weight: 1 }]));

let middles = Array.from(
  { length: TOPICS },
  (_, k) => rows[Math.floor(((k + 0.5) * BEGUN_WITHIN) / TOPICS)]!,
);
for (let round = 0; round < ROUNDS; round++) {
  const sums = middles.map((middle) => new Float64Array(middle.length));
  for (const row of rows.slice(FROM)) {
    const likeness = middles.map((middle) => cosine(row, middle));
    const nearest = sums[likeness.indexOf(Math.max(...likeness))]!;
    for (const [k, value] of row.entries()) nearest[k]! += value;
  }
  middles = sums;
}
const topics = middles.map((middle) =>
  rows
    .map((row, at) => ({ stem: stems[at]!, likeness: cosine(row, middle) }))
    .slice(FROM)
    .sort((left, right) => right.likeness - left.likeness)
    .slice(0, WORDS_OF_A_TOPIC)
    .map(({ stem }) => stem)
    .join(' '),
);
const written = `// Made by scripts/build-word-topics.ts of the vectors in table.ts.
/** What texts in general are about: groups of stems that lie closest together. */
export const TOPICS = [
${topics.map((topic) => `  '${topic}',`).join('\n')}
];
`;
if (!process.argv.includes('--check')) writeFileSync(output, written);
else if (readFileSync(output, 'utf8') !== written) {
  console.error('The committed topics differ; run npm run build:word-topics');
  process.exitCode = 1;
}
