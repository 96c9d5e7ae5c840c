import { largest } from '#src/lib/extremes.ts';
import type { Analysis } from './terms.ts';

/** So many of the first documents stand for what the query is about; the n-th counts 1/n. */
const LEADERS = 4;

/** How one candidate answers to the query's terms; every feature is 0..1. */
export interface LexicalFeatures {
  /** BM25 with the candidates as the corpus, relative to the best candidate. */
  relevance: number;
  /** Share of the query's rarity that the candidate mentions at all. */
  coverage: number;
  /** The same for pairs of neighbouring query terms found as neighbours in that order. */
  order: number;
  /** The same for the best stretch of WINDOW terms. */
  proximity: number;
  /** The same for headings and title. */
  heading: number;
  /** Likeness to the other candidates that the search put first, relative to the likest. */
  feedback: number;
}

export interface LexicalDocument {
  terms: string[];
  heading: Set<string>;
  /** Terms that carry meaning -> how often they occur in text and headings. */
  profile: Map<string, number>;
}

const WINDOW = 24;
const K1 = 1.2;
const B = 0.75;

export function lexicalDocument(text: string, headings: string[], analysis: Analysis): LexicalDocument {
  const above = analysis.read(headings.join('\n'));
  const { terms, meaningful } = analysis.read(text);
  const telling = [...above.meaningful, ...meaningful];
  const profile = new Map<string, number>();
  for (const term of telling.length > 0 ? telling : [...above.terms, ...terms]) {
    profile.set(term, (profile.get(term) ?? 0) + 1);
  }
  return { terms, heading: new Set(above.terms), profile };
}

/**
 * Compares every document with the query; the documents come in the order the search gave them. Rarity is judged
 * among the documents themselves.
 */
export function lexicalFeatures(queryTerms: string[], documents: LexicalDocument[]): LexicalFeatures[] {
  const wanted = new Map<string, number>();
  const counts = documents.map(({ terms }) => countOf(terms, queryTerms));
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
  const feedback = likenessToFirst(documents.map(({ profile }) => profile));
  return documents.map(({ terms, heading }, index) => ({
    relevance: relevance[index]! / best,
    coverage: share(counts[index]!.keys(), wanted, total),
    order: orderOf(queryTerms, terms, wanted),
    proximity: proximityOf(terms, wanted, total),
    heading: share(
      [...wanted.keys()].filter((term) => heading.has(term)),
      wanted,
      total,
    ),
    feedback: feedback[index]!,
  }));
}

function countOf(terms: string[], queryTerms: string[]): Map<string, number> {
  const wanted = new Set(queryTerms);
  const counts = new Map<string, number>();
  for (const term of terms) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function share(terms: Iterable<string>, weights: Map<string, number>, total: number): number {
  let found = 0;
  for (const term of terms) found += weights.get(term) ?? 0;
  return total === 0 ? 0 : found / total;
}

function orderOf(queryTerms: string[], terms: string[], weights: Map<string, number>): number {
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < queryTerms.length; i++) {
    const [a, b] = [queryTerms[i]!, queryTerms[i + 1]!];
    if (a !== b) pairs.set(`${a} ${b}`, Math.min(weights.get(a)!, weights.get(b)!));
  }
  const total = sum(pairs.values());
  const found = new Set<string>();
  for (let i = 0; i + 1 < terms.length; i++) {
    if (!weights.has(terms[i]!)) continue;
    // One word may stand between: "cells of the lung" for "lung cells" still says something, in this order only.
    for (const gap of [1, 2]) {
      const pair = `${terms[i]} ${terms[i + gap]}`;
      if (pairs.has(pair)) found.add(pair);
    }
  }
  return share(found, pairs, total);
}

/** The heaviest set of distinct query terms inside any window, found by sliding it over their positions. */
function proximityOf(terms: string[], weights: Map<string, number>, total: number): number {
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
 * How like each document is to the leading ones, itself left out: 0..1, the likest has 1. What the query did not
 * say but its best answers share brings up documents that say it in other words.
 */
function likenessToFirst(profiles: Map<string, number>[]): number[] {
  const containing = new Map<string, number>();
  for (const profile of profiles) {
    for (const term of profile.keys()) containing.set(term, (containing.get(term) ?? 0) + 1);
  }
  const vectors = profiles.map((profile) => weighted(profile, containing, profiles.length));
  const centre = new Map<string, number>();
  let weight = 0;
  for (const [index, vector] of vectors.slice(0, LEADERS).entries()) {
    weight += 1 / (index + 1);
    for (const [term, value] of vector) centre.set(term, (centre.get(term) ?? 0) + value / (index + 1));
  }
  const likeness = vectors.map((vector, index) => {
    const own = index < LEADERS ? 1 / (index + 1) : 0;
    let dot = 0;
    for (const [term, value] of vector) dot += value * ((centre.get(term) ?? 0) - own * value);
    return weight > own ? dot / (weight - own) : 0;
  });
  const best = largest(likeness, Number.MIN_VALUE);
  return likeness.map((value) => Math.max(0, value / best));
}

/** Unit-length weights: rare among the documents, often in this one. */
function weighted(profile: Map<string, number>, containing: Map<string, number>, documents: number) {
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
