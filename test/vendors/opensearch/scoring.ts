import type { Product } from './cluster.ts';
import type { Fields, Source } from './mapping.ts';
import { listClauses, type Query } from './query.ts';
import { countTerms } from './terms.ts';

// Scores of words by BM25 with the default settings of both products.

interface Corpus {
  fields: Fields;
  product: Product;
  /** All documents that searches see, also those that a filter leaves out. */
  documents: Source[];
}

const K1 = 1.2;
const B = 0.75;
/** Elasticsearch and OpenSearch before version 3 multiply the scores by this factor. */
const LEGACY_FACTOR = K1 + 1;

/** Returns a function that scores a matching document. Filters do not score. */
export function compileScore(query: Query, corpus: Corpus): (source: Source) => number {
  const { bool, term } = query;
  if (bool) {
    const parts = [...listClauses(bool.must), ...listClauses(bool.should)];
    const scores = parts.map((part) => compileScore(part, corpus));
    return (source) => scores.reduce((sum, score) => sum + score(source), 0);
  }
  const [name, given] = Object.entries(term ?? {})[0] ?? [];
  if (name === undefined || given === undefined || corpus.fields[name]?.type !== 'text') return () => 1;
  const { value, boost = 1 } = typeof given === 'object' ? given : { value: given };
  return scoreTerm(name, String(value), boost, corpus);
}

function scoreTerm(name: string, term: string, boost: number, { documents, product }: Corpus) {
  const all = documents.flatMap((source) => countTerms(source, name) ?? []);
  const having = all.filter(({ terms }) => terms.has(term)).length;
  const idf = Math.log(1 + (all.length - having + 0.5) / (having + 0.5));
  const mean = all.reduce((sum, { length }) => sum + length, 0) / all.length;
  const weight = boost * idf * (product === 'elasticsearch' ? LEGACY_FACTOR : 1);
  return (source: Source): number => {
    const { terms, length = 0 } = countTerms(source, name) ?? {};
    const frequency = terms?.get(term) ?? 0;
    const norm = K1 * (1 - B + (B * roundLength(length)) / mean);
    return Math.fround((weight * frequency) / (frequency + norm));
  };
}

const EXACT_LENGTHS = 24;
const PRECISION_BITS = 4;

/** Rounds a length down to one that a norm can express. A norm has one byte, with four bits of precision. */
function roundLength(length: number): number {
  if (length < EXACT_LENGTHS) return length;
  const rest = length - EXACT_LENGTHS;
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(rest || 1)) + 1 - PRECISION_BITS);
  return EXACT_LENGTHS + Math.floor(rest / unit) * unit;
}
