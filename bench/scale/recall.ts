import { documentMeasures } from '#bench/retrieval/sets.ts';
import type { Row } from '#bench/search/measure.ts';
import type { SearchHit } from '#src/ports/index-types.ts';
import { type FusedHit, fuse } from '#src/search/fusion.ts';
import type { Corpus, Question } from './corpus.ts';
import { INDEXES, readCorpus } from './passages.ts';
import { byArrival, byCentroid, bySource, type Placement } from './placement.ts';
import { type Ranked, rankByVector, WordIndex } from './ranks.ts';
import { alternating, byCentroids, byWords, inOrder, wordSketchSize } from './routing.ts';

const PLACEMENTS: Record<string, Placement> = {
  arrival: byArrival,
  'arrival, set after set': bySource,
  'nearest centroid': byCentroid,
};
/** What must be kept of the hits, and of nDCG, that all shards together give. */
const KEPT = 0.95;
/** Hits of each arm, as a query asks by default, and the dense arm's weight with the built-in embedder. */
const HITS = 30;
const ALPHA = { dense: 1, 'by words': 0, hybrid: 0.08 };
type Arm = keyof typeof ALPHA;

/** One way to choose shards: for each question all of them, the most promising first. */
type Orders = number[][];

/** The parts of the passages that an index is measured with, and chunks a shard: more of both, as many shards. */
const SIZES: Record<string, { part: number; capacity: number }[]> = {
  scifact: [
    { part: 1 / 4, capacity: 64 },
    { part: 1 / 2, capacity: 128 },
    { part: 1, capacity: 256 },
    { part: 1, capacity: 128 },
    { part: 1, capacity: 512 },
  ],
  'all sets in one': [{ part: 1, capacity: 256 }],
};

/** How many shards have to be asked; undefined without the corpora. */
export async function measureRecall(print: (title: string, rows: Row[]) => void): Promise<boolean> {
  for (const { name, sets, questions } of INDEXES) {
    const whole = await readCorpus(sets, questions);
    if (whole === undefined) return false;
    for (const { part, capacity } of SIZES[name]!) {
      const corpus = partOf(whole, part);
      const title = `${name}: ${corpus.passages.length} passages, ${corpus.questions.length} questions, shards of ${capacity}`;
      print(title, measured(corpus, capacity));
    }
  }
  return true;
}

/** Every so many documents, whole. */
function partOf({ passages, questions }: Corpus, part: number): Corpus {
  const numbers = new Map(
    [...new Set(passages.map(({ documentId }) => documentId))].map((id, at) => [id, at]),
  );
  const kept = passages.filter(({ documentId }) => numbers.get(documentId)! % Math.round(1 / part) === 0);
  return { passages: kept, questions };
}

function measured({ passages, questions }: Corpus, capacity: number): Row[] {
  const words = new WordIndex(passages);
  const ranked = questions.map((question) => ({
    question,
    dense: rankByVector(passages, question),
    sparse: words.rank(question),
  }));
  const today = byArrival(passages, capacity).length;
  return Object.entries(PLACEMENTS).flatMap(([placedBy, place]) => {
    const shards = place(passages, capacity);
    const shardOf = new Int32Array(passages.length);
    for (const [shard, numbers] of shards.entries()) for (const number of numbers) shardOf[number] = shard;
    const documentOf = (number: number) => passages[number]!.documentId;
    const ordersBy = (outlook: (question: Question) => number[]): Orders =>
      questions.map((question) => inOrder(outlook(question)));
    const one = ordersBy(byCentroids(passages, shards, 1));
    const eight = ordersBy(byCentroids(passages, shards, 8));
    const terms = ordersBy(byWords(words, shards));
    const known = wordSketchSize(passages, shards) / passages.length;
    const both = terms.map((order, at) => alternating(order, eight[at]!));
    const ways: [Arm, string, Orders][] = [
      ['dense', '1 centroid', one],
      ['dense', '8 centroids', eight],
      ['by words', 'terms', terms],
      ['hybrid', 'terms', terms],
      ['hybrid', 'terms, 8 centroids', both],
    ];
    return ways.map(([arm, by, orders]) => {
      const found = (at: number, asked?: ReadonlySet<number>): FusedHit[] => {
        const visible = (number: number) => asked === undefined || asked.has(shardOf[number]!);
        const hits = (arm: Ranked) => hitsOf(arm, visible, documentOf);
        return fuse(hits(ranked[at]!.dense), hits(ranked[at]!.sparse), ALPHA[arm]);
      };
      const { recall, quality } = keptBy(questions, orders, found);
      const hits = least(shards.length, recall);
      const ndcg = least(shards.length, quality);
      return {
        'placed by': placedBy,
        shards: shards.length,
        'terms a chunk': known.toFixed(1),
        arm: arm,
        'chosen by': by,
        'hits kept, a quarter asked': recall(Math.round(shards.length / 4)).toFixed(2),
        'asked for .95 of hits': hits,
        'of all today': (hits / today).toFixed(2),
        'asked for .95 of nDCG': ndcg,
        'of all today ': (ndcg / today).toFixed(2),
      };
    });
  });
}

/** What remains of the first ten hits, and of nDCG@10 where a set has grades, when so many shards are asked. */
function keptBy(
  questions: Question[],
  orders: Orders,
  found: (at: number, asked?: ReadonlySet<number>) => FusedHit[],
) {
  const full = questions.map((_, at) => found(at));
  const graded = [...questions.keys()].filter((at) => questions[at]!.relevant.size > 0);
  const gain = (hits: FusedHit[], at: number) => {
    const documents = hits.map(({ documentId }) => ({ documentId, start: 0, end: 0 }));
    return documentMeasures(documents, questions[at]!.relevant)[0];
  };
  const best = mean(graded.map((at) => gain(full[at]!, at)));
  const asked = (at: number, count: number) => new Set(orders[at]!.slice(0, count));
  return {
    recall: (count: number) =>
      mean(
        full.map((all, at) => {
          const wanted = all.slice(0, 10).map(({ id }) => id);
          const got = new Set(
            found(at, asked(at, count))
              .slice(0, 10)
              .map(({ id }) => id),
          );
          return wanted.length === 0 ? 1 : wanted.filter((id) => got.has(id)).length / wanted.length;
        }),
      ),
    quality: (count: number) => mean(graded.map((at) => gain(found(at, asked(at, count)), at))) / best,
  };
}

function hitsOf(
  { passages, scores }: Ranked,
  visible: (number: number) => boolean,
  documentOf: (number: number) => string,
): SearchHit[] {
  const hits: SearchHit[] = [];
  for (let at = 0; at < passages.length && hits.length < HITS; at++) {
    const number = passages[at]!;
    if (visible(number))
      hits.push({ id: String(number), documentId: documentOf(number), position: number, score: scores[at]! });
  }
  return hits;
}

/** The fewest shards that keep enough, by halving: more shards keep more, but for chance. */
function least(shards: number, kept: (count: number) => number): number {
  let low = 1;
  let high = shards;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (kept(middle) >= KEPT) high = middle;
    else low = middle + 1;
  }
  return low;
}

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
