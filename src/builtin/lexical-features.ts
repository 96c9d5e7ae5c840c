import { largest } from '#src/lib/extremes.ts';
import type { Analysis } from './terms.ts';

/**
 * Number of top-ranked documents whose words represent the topic of a query. The n-th document has weight
 * 1/n.
 */
const FEEDBACK_DOCUMENTS = 4;

/** Scores for how well the words of a search result match the query. Every score is from 0 to 1. */
export interface LexicalFeatures {
  /** BM25 score of the search result, divided by the best score. The search results are the corpus. */
  relevance: number;
  /** Share of the query's terms that occur in the search result, weighted by rarity. */
  coverage: number;
  /**
   * Share of the query's adjacent term pairs that are also close together in the search result, in the same
   * order.
   */
  order: number;
  /**
   * Largest share of the query's terms within `WINDOW` consecutive terms of the search result, weighted by
   * rarity.
   */
  proximity: number;
  /** Share of the query's terms in the headings and the title, weighted by rarity. */
  heading: number;
  /** Similarity to the top-ranked search results, divided by the highest similarity. */
  feedback: number;
}

export interface LexicalDocument {
  terms: string[];
  heading: Set<string>;
  /** Number of occurrences of each content term in the text and the headings. */
  profile: Map<string, number>;
}

const WINDOW = 24;
const K1 = 1.2;
const B = 0.75;

export function toLexicalDocument(text: string, headings: string[], analysis: Analysis): LexicalDocument {
  const headingTerms = analysis.read(headings.join('\n'));
  const { terms, meaningful } = analysis.read(text);
  const contentTerms = [...headingTerms.meaningful, ...meaningful];
  const profile = new Map<string, number>();
  for (const term of contentTerms.length > 0 ? contentTerms : [...headingTerms.terms, ...terms]) {
    profile.set(term, (profile.get(term) ?? 0) + 1);
  }
  return { terms, heading: new Set(headingTerms.terms), profile };
}

/**
 * Compares every document with the query. The documents must be in the order of the search. The rarity of a
 * term is computed among these documents.
 */
export function computeLexicalFeatures(
  queryTerms: string[],
  documents: LexicalDocument[],
): LexicalFeatures[] {
  const wanted = new Map<string, number>();
  const counts = documents.map(({ terms }) => countQueryTerms(terms, queryTerms));
  for (const term of new Set(queryTerms)) {
    const containing = counts.filter((count) => count.has(term)).length;
    wanted.set(term, Math.log(1 + (documents.length - containing + 0.5) / (containing + 0.5)) + 0.1);
  }
  const total = sum(wanted.values());
  const averageLength = sum(documents.map(({ terms }) => terms.length)) / Math.max(1, documents.length);
  const relevance = documents.map(({ terms }, index) => {
    const norm = K1 * (1 - B + (B * terms.length) / Math.max(1, averageLength));
    let score = 0;
    for (const [term, count] of counts[index]!)
      score += (wanted.get(term)! * count * (K1 + 1)) / (count + norm);
    return score;
  });
  const best = largest(relevance, Number.MIN_VALUE);
  const feedback = measureFeedback(documents.map(({ profile }) => profile));
  return documents.map(({ terms, heading }, index) => ({
    relevance: relevance[index]! / best,
    coverage: getWeightShare(counts[index]!.keys(), wanted, total),
    order: measureOrder(queryTerms, terms, wanted),
    proximity: measureProximity(terms, wanted, total),
    heading: getWeightShare(
      [...wanted.keys()].filter((term) => heading.has(term)),
      wanted,
      total,
    ),
    feedback: feedback[index]!,
  }));
}

function countQueryTerms(terms: string[], queryTerms: string[]): Map<string, number> {
  const wanted = new Set(queryTerms);
  const counts = new Map<string, number>();
  for (const term of terms) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function getWeightShare(terms: Iterable<string>, weights: Map<string, number>, total: number): number {
  let found = 0;
  for (const term of terms) found += weights.get(term) ?? 0;
  return total === 0 ? 0 : found / total;
}

function measureOrder(queryTerms: string[], terms: string[], weights: Map<string, number>): number {
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < queryTerms.length; i++) {
    const [a, b] = [queryTerms[i]!, queryTerms[i + 1]!];
    if (a !== b) pairs.set(`${a} ${b}`, Math.min(weights.get(a)!, weights.get(b)!));
  }
  const total = sum(pairs.values());
  const found = new Set<string>();
  for (let i = 0; i + 1 < terms.length; i++) {
    if (!weights.has(terms[i]!)) continue;
    // Two query words still count as adjacent if one other word stands between them. Their order must be the
    // same.
    for (const gap of [1, 2]) {
      const pair = `${terms[i]} ${terms[i + gap]}`;
      if (pairs.has(pair)) found.add(pair);
    }
  }
  return getWeightShare(found, pairs, total);
}

/**
 * Returns the highest share of the query's terms, weighted by rarity, within `WINDOW` consecutive terms of a
 * document.
 */
function measureProximity(terms: string[], weights: Map<string, number>, total: number): number {
  if (total === 0) return 0;
  const positions: number[] = [];
  for (const [index, term] of terms.entries()) if (weights.has(term)) positions.push(index);
  const inside = new Map<string, number>();
  let weight = 0;
  let best = 0;
  let from = 0;
  for (const position of positions) {
    const term = terms[position]!;
    const count = inside.get(term) ?? 0;
    if (count === 0) weight += weights.get(term)!;
    inside.set(term, count + 1);
    while (position - positions[from]! >= WINDOW) {
      const left = terms[positions[from++]!]!;
      const remaining = inside.get(left)! - 1;
      inside.set(left, remaining);
      if (remaining === 0) weight -= weights.get(left)!;
    }
    best = Math.max(best, weight);
  }
  return best / total;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/**
 * Returns each document's similarity to the top-ranked documents, from 0 to 1, not counting itself. The best
 * documents often share terms that the query lacks. Other documents with these terms rank higher.
 */
function measureFeedback(profiles: Map<string, number>[]): number[] {
  const containing = new Map<string, number>();
  for (const profile of profiles) {
    for (const term of profile.keys()) containing.set(term, (containing.get(term) ?? 0) + 1);
  }
  const vectors = profiles.map((profile) => toTfIdfVector(profile, containing, profiles.length));
  const centre = new Map<string, number>();
  let weight = 0;
  for (const [index, vector] of vectors.slice(0, FEEDBACK_DOCUMENTS).entries()) {
    weight += 1 / (index + 1);
    for (const [term, value] of vector) centre.set(term, (centre.get(term) ?? 0) + value / (index + 1));
  }
  const likeness = vectors.map((vector, index) => {
    const own = index < FEEDBACK_DOCUMENTS ? 1 / (index + 1) : 0;
    let dot = 0;
    for (const [term, value] of vector) dot += value * ((centre.get(term) ?? 0) - own * value);
    return weight > own ? dot / (weight - own) : 0;
  });
  const best = largest(likeness, Number.MIN_VALUE);
  return likeness.map((value) => Math.max(0, value / best));
}

/** Returns a TF-IDF vector of length 1. */
function toTfIdfVector(profile: Map<string, number>, containing: Map<string, number>, documents: number) {
  const vector = new Map<string, number>();
  let squares = 0;
  for (const [term, count] of profile) {
    const value = (1 + Math.log(count)) * Math.log(1 + documents / containing.get(term)!);
    vector.set(term, value);
    squares += value * value;
  }
  const length = Math.sqrt(squares) || 1;
  for (const [term, value] of vector) vector.set(term, value / length);
  return vector;
}
