/**
 * Fits the weights of the built-in reranker once for each corpus, on all other corpora, and writes them to
 * `left-out-weights.json`. `npm run bench:builtin` measures each corpus with the weights that do not know it. Also
 * prints the weights fitted on all corpora and the mean nDCG of each.
 * Run: node bench/retrieval/fit-reranker.ts   (CORPORA=<dir>)
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadedSet, loadRetrievalSet, RETRIEVAL_SETS } from '#bench/builtin/retrieval-figures.ts';
import { measureCandidates, type RerankFeatures, type RerankWeights } from '#src/builtin/reranker.ts';

interface Case {
  chunks: number[];
  features: RerankFeatures[];
  measure: (found: number[]) => number;
}

const NAMES = ['search', 'heading', 'relevance', 'coverage', 'feedback', 'order', 'proximity'] as const;
/** Sizes of the steps by which one weight after the other is changed, as long as the mean improves. */
const STEPS = [0.2, 0.1, 0.05];
const ROUNDS = 3;
/** Smaller gains are noise. */
const MIN_GAIN = 0.0002;

async function buildCases({ set, index, metrics }: LoadedSet): Promise<Case[]> {
  const measure = Object.values(metrics)[0]!;
  const cases: Case[] = [];
  for (const [at, { text }] of set.queries.entries()) {
    const found = await index.hybrid(text);
    const candidates = found.map(([chunk, score]) => ({
      ...index.chunks[chunk]!.candidate,
      id: String(chunk),
      score,
    }));
    cases.push({
      chunks: found.map(([chunk]) => chunk),
      features: measureCandidates(text, candidates),
      measure: (ranked) => measure(ranked, at),
    });
  }
  return cases;
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function measureCase({ chunks, features, measure }: Case, weights: RerankWeights): number {
  const scores = features.map((each) => NAMES.reduce((sum, name) => sum + weights[name] * each[name], 0));
  const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!);
  return measure(order.map((at) => chunks[at]!));
}

/** Fits weights to corpora. Every corpus counts the same, and so does every set of a corpus. */
function fitWeights(corpora: Case[][][]): RerankWeights {
  const measure = (weights: RerankWeights) =>
    mean(
      corpora.map((sets) => mean(sets.map((cases) => mean(cases.map((one) => measureCase(one, weights)))))),
    );
  let weights = Object.fromEntries(NAMES.map((name) => [name, Number(name === 'search')])) as RerankWeights;
  let best = measure(weights);
  const tryChange = (name: keyof RerankWeights, change: number): boolean => {
    const changed = { ...weights, [name]: Math.max(0, weights[name] + change) };
    const value = measure(changed);
    if (value <= best + MIN_GAIN) return false;
    [weights, best] = [changed, value];
    return true;
  };
  for (const step of STEPS) {
    for (let round = 0; round < ROUNDS; round++) {
      const moved = NAMES.map((name) => tryChange(name, step) || tryChange(name, -step));
      if (!moved.includes(true)) break;
    }
  }
  const total = NAMES.reduce((sum, name) => sum + weights[name], 0);
  console.log(best.toFixed(4));
  return Object.fromEntries(
    NAMES.map((name) => [name, Number((weights[name] / total).toFixed(3))]),
  ) as RerankWeights;
}

const corpora = new Map<string, Case[][]>();
for (const [corpus, names] of Object.entries(RETRIEVAL_SETS)) {
  const sets: Case[][] = [];
  for (const name of names) {
    const loaded = await loadRetrievalSet(name, 150);
    if (loaded) sets.push(await buildCases(loaded));
  }
  if (sets.length > 0) corpora.set(corpus, sets);
}
const leftOut: Record<string, RerankWeights> = {};
for (const corpus of corpora.keys()) {
  leftOut[corpus] = fitWeights([...corpora].filter(([name]) => name !== corpus).map(([, sets]) => sets));
  console.log(`without ${corpus}: ${JSON.stringify(leftOut[corpus])}`);
}
console.log(`on all: ${JSON.stringify(fitWeights([...corpora.values()]))}`);
writeFileSync(join(import.meta.dirname, 'left-out-weights.json'), `${JSON.stringify(leftOut, null, 2)}\n`);
