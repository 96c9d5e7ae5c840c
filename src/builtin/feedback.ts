import { largest } from '#src/lib/extremes.ts';

/** So many of the first documents stand for what the query is about; the n-th counts 1/n. */
const LEADERS = 4;

/**
 * How like each document is to the leading ones, itself left out: 0..1, the likest has 1. What the query did not
 * say but its best answers share brings up documents that say it in other words.
 */
export function likenessToFirst(profiles: Map<string, number>[]): number[] {
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
