/**
 * Compares the sparse arm with plain BM25 in each language, without a service. All sets take seconds.
 * Run: npm run bench:languages -- [--sets xquad-el,xquad-tr] [--language xx]   (CORPORA=<dir>)
 * The name of a set ends with its language. The baseline is the best usual setup of BM25 for the language:
 * words or stems (Snowball, light10 for Arabic), a dictionary or n-grams for scripts without spaces, with and
 * without stop words, and with two usual pairs of constants. `--language` declares one language for every
 * document.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CORPORA } from './corpora.ts';
import { type Baseline, listBaselines } from './languages/baselines.ts';
import { countTerms, PlainIndex } from './languages/bm25.ts';
import { indexOurs } from './languages/ours.ts';
import { measureDocuments, type RetrievalSet, readSet } from './retrieval/sets.ts';

const { values: options } = parseArgs({
  options: { sets: { type: 'string' }, language: { type: 'string' } },
});

const CONSTANTS = [
  { k1: 0.9, b: 0.4 },
  { k1: 1.2, b: 0.75 },
];
const LANGUAGE = /-([a-z]{2})$/;
type Measures = [ndcg: number, recall: number];

function measure(
  { documents, queries, relevant }: RetrievalSet,
  search: (query: string) => number[],
): Measures {
  const all = queries.map(({ _id, text }) => {
    const found = search(text).map((at) => ({ documentId: documents[at]!._id, start: 0, end: 0 }));
    return measureDocuments(found, relevant.get(_id)!);
  });
  const mean = (column: 0 | 1) => all.reduce((sum, each) => sum + each[column], 0) / all.length;
  return [mean(0), mean(1)];
}

function measureBaseline(set: RetrievalSet, { name, analyse, stopWords }: Baseline) {
  const read = (text: string) => analyse(text).filter((term) => !stopWords.has(term));
  const terms = set.documents.map(({ title, text }) => read(`${title}\n${text}`));
  const index = new PlainIndex(terms.map((each) => ({ bag: countTerms(each), length: each.length })));
  return CONSTANTS.map(({ k1, b }) => {
    const measures = measure(set, (query) => {
      const weights = new Map<string, number>();
      for (const [term, count] of countTerms(read(query))) weights.set(term, count * index.idf(term));
      return index.best(weights, k1, b);
    });
    return { name: `${name}, k1 ${k1}`, measures };
  });
}

const figures = ([ndcg, recall]: Measures) => `${ndcg.toFixed(4)} / ${recall.toFixed(4)}`;

/** Difference in nDCG between our result and each setup, by set. */
const leads = new Map<string, { set: string; lead: number }[]>();
const names = options.sets?.split(',') ?? readdirSync(join(CORPORA, 'retrieval'));
console.log('set            nDCG@10 / recall@10: ours   best baseline                            read as');
for (const name of names.filter((each) => LANGUAGE.test(each)).sort()) {
  const set = readSet(name, Number.POSITIVE_INFINITY);
  if (set === undefined) continue;
  const ours = indexOurs(set, options.language);
  const own = measure(set, ours.search);
  const all = listBaselines(LANGUAGE.exec(name)![1]!).flatMap((baseline) => measureBaseline(set, baseline));
  const best = all.reduce((one, other) => (other.measures[0] > one.measures[0] ? other : one));
  for (const { name: setUp, measures } of all) {
    leads.set(setUp, [...(leads.get(setUp) ?? []), { set: name, lead: own[0] - measures[0] }]);
  }
  const readAs = [...ours.languages].map(([code, count]) => `${code} ${count}`).join(', ');
  const verdict = own[0] < best.measures[0] ? (own[0] - best.measures[0]).toFixed(4) : '';
  console.log(
    [name.padEnd(14), figures(own), ' ', figures(best.measures), best.name.padEnd(26), readAs, verdict].join(
      ' ',
    ),
  );
}

console.log(
  '\nset-up, the same for all sets     sets   nDCG@10, ours above it   sets in which ours is below',
);
for (const [setUp, each] of leads) {
  const mean = each.reduce((sum, { lead }) => sum + lead, 0) / each.length;
  const below = each.filter(({ lead }) => lead < 0).map(({ set, lead }) => `${set} ${lead.toFixed(4)}`);
  console.log(
    setUp.padEnd(33),
    String(each.length).padStart(4),
    mean.toFixed(4).padStart(9),
    ' ',
    below.join(', '),
  );
}
