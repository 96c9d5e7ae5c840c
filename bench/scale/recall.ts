import { measureDocuments } from '#bench/retrieval/sets.ts';
import type { Row } from '#bench/search/measure.ts';
import type { SearchHit } from '#src/ports/index-types.ts';
import { type FusedHit, fuse } from '#src/search/fusion.ts';
import type { Corpus, Question } from './corpus.ts';
import { INDEXES, readCorpus } from './passages.ts';
import { type Placement, placeByArrival, placeByCentroid, placeBySource } from './placement.ts';
import { type Ranked, rankByVector, WordIndex } from './ranks.ts';
import { countTermShardPairs, interleave, rateByCentroids, rateByWords, sortByRating } from './routing.ts';

const PLACEMENTS: Record<string, Placement> = {
  arrival: placeByArrival,
  'arrival, set after set': placeBySource,
  'nearest centroid': placeByCentroid,
};
/** Minimum share of the hits, and of the nDCG of all shards, that must remain. */
const MIN_SHARE = 0.95;
/** Default number of hits per arm, and weight of the dense arm with the built-in embedder. */
const HITS = 30;
const ALPHA = { dense: 1, 'by words': 0, hybrid: 0.08 };
type Arm = keyof typeof ALPHA;

/** For each question, all shards with the most promising first. */
type Orders = number[][];

/** Parts of the passages and shard capacities that are measured. Halving both keeps the number of shards. */
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

/** Measures how many shards have to be queried. Returns false if the corpora are missing. */
export async function measureRecall(print: (title: string, rows: Row[]) => void): Promise<boolean> {
  for (const { name, sets, questions } of INDEXES) {
    const whole = await readCorpus(sets, questions);
    if (whole === undefined) return false;
    for (const { part, capacity } of SIZES[name]!) {
      const corpus = selectPart(whole, part);
      const title = `${name}: ${corpus.passages.length} passages, ${corpus.questions.length} questions, shards of ${capacity}`;
      print(title, measurePlacements(corpus, capacity));
    }
  }
  return true;
}

/** Selects whole documents at regular intervals. */
function selectPart({ passages, questions }: Corpus, part: number): Corpus {
  const numbers = new Map(
    [...new Set(passages.map(({ documentId }) => documentId))].map((id, at) => [id, at]),
  );
  const selected = passages.filter(({ documentId }) => numbers.get(documentId)! % Math.round(1 / part) === 0);
  return { passages: selected, questions };
}

function measurePlacements({ passages, questions }: Corpus, capacity: number): Row[] {
  const words = new WordIndex(passages);
  const ranked = questions.map((question) => ({
    question,
    dense: rankByVector(passages, question),
    sparse: words.rank(question),
  }));
  const today = placeByArrival(passages, capacity).length;
  return Object.entries(PLACEMENTS).flatMap(([placedBy, place]) => {
    const shards = place(passages, capacity);
    const shardByPassage = new Int32Array(passages.length);
    for (const [shard, numbers] of shards.entries())
      for (const number of numbers) shardByPassage[number] = shard;
    const getDocumentId = (number: number) => passages[number]!.documentId;
    const ordersBy = (rate: (question: Question) => number[]): Orders =>
      questions.map((question) => sortByRating(rate(question)));
    const one = ordersBy(rateByCentroids(passages, shards, 1));
    const eight = ordersBy(rateByCentroids(passages, shards, 8));
    const terms = ordersBy(rateByWords(words, shards));
    const known = countTermShardPairs(passages, shards) / passages.length;
    const both = terms.map((order, at) => interleave(order, eight[at]!));
    const routings: [Arm, string, Orders][] = [
      ['dense', '1 centroid', one],
      ['dense', '8 centroids', eight],
      ['by words', 'terms', terms],
      ['hybrid', 'terms', terms],
      ['hybrid', 'terms, 8 centroids', both],
    ];
    return routings.map(([arm, by, orders]) => {
      const found = (at: number, asked?: ReadonlySet<number>): FusedHit[] => {
        const visible = (number: number) => asked === undefined || asked.has(shardByPassage[number]!);
        const hits = (arm: Ranked) => selectHits(arm, visible, getDocumentId);
        return fuse(hits(ranked[at]!.dense), hits(ranked[at]!.sparse), ALPHA[arm]);
      };
      const { recall, quality } = measureKept(questions, orders, found);
      const hits = findFewestShards(shards.length, recall);
      const ndcg = findFewestShards(shards.length, quality);
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

/**
 * Measures the share of the first ten hits that remains when only some shards are queried. For sets with
 * grades, it also measures the share of nDCG@10.
 */
function measureKept(
  questions: Question[],
  orders: Orders,
  found: (at: number, asked?: ReadonlySet<number>) => FusedHit[],
) {
  const full = questions.map((_, at) => found(at));
  const graded = [...questions.keys()].filter((at) => questions[at]!.relevant.size > 0);
  const gain = (hits: FusedHit[], at: number) => {
    const documents = hits.map(({ documentId }) => ({ documentId, start: 0, end: 0 }));
    return measureDocuments(documents, questions[at]!.relevant)[0];
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

function selectHits(
  { passages, scores }: Ranked,
  visible: (number: number) => boolean,
  getDocumentId: (number: number) => string,
): SearchHit[] {
  const hits: SearchHit[] = [];
  for (let at = 0; at < passages.length && hits.length < HITS; at++) {
    const number = passages[at]!;
    if (visible(number))
      hits.push({
        id: String(number),
        documentId: getDocumentId(number),
        position: number,
        score: scores[at]!,
      });
  }
  return hits;
}

/** Finds the smallest sufficient number of shards by bisection. More shards nearly always keep more hits. */
function findFewestShards(shards: number, selected: (count: number) => number): number {
  let low = 1;
  let high = shards;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (selected(middle) >= MIN_SHARE) high = middle;
    else low = middle + 1;
  }
  return low;
}

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
