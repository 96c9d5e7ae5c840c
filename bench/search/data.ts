/**
 * Synthetic corpus of bench/search.ts. It is the same for every engine and depends only on the number of a
 * chunk.
 */
export const DIMENSION = 384;
export const CHUNKS_PER_DOCUMENT = 50;
const CENTRES = 500;
const VOCABULARY = 40_000;
const WORDS_PER_CHUNK = 100;
const WORDS_PER_QUERY = 8;

function random(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns an approximately normal number: the sum of three uniform numbers. */
function noise(next: () => number): number {
  return (next() + next() + next() - 1.5) * 2;
}

const centres: Float32Array[] = [];

function centre(number: number): Float32Array {
  centres[number] ??= Float32Array.from({ length: DIMENSION }, (_, i) =>
    noise(random(number * DIMENSION + i + 7)),
  );
  return centres[number];
}

function drawNearVector(next: () => number): Float32Array {
  const middle = centre(Math.floor(next() * CENTRES));
  const vector = new Float32Array(DIMENSION);
  let sum = 0;
  for (let i = 0; i < DIMENSION; i++) {
    const x = middle[i]! + noise(next);
    vector[i] = x;
    sum += x * x;
  }
  const norm = Math.sqrt(sum);
  for (let i = 0; i < DIMENSION; i++) vector[i]! /= norm;
  return vector;
}

const SYLLABLES = 'ka lo mi ren tu sal vor pen dri qua nel bos fi gar hul jat'.split(' ');

/** Returns a random word. Frequent words have low numbers, as in natural language (Zipf). */
function word(next: () => number): string {
  let number = Math.floor(VOCABULARY ** next());
  let text = '';
  do {
    text += SYLLABLES[number % 16];
    number >>= 4;
  } while (number > 0);
  return text;
}

export interface BenchChunk {
  number: number;
  text: string;
  vector: Float32Array;
}

export function chunk(number: number): BenchChunk {
  const next = random(number);
  const vector = drawNearVector(next);
  return { number, vector, text: Array.from({ length: WORDS_PER_CHUNK }, () => word(next)).join(' ') };
}

/** Builds a query of random words, including frequent ones, with a vector near a centre. */
export function query(number: number): { text: string; vector: Float32Array } {
  const next = random(1_000_000_000 + number);
  return {
    vector: drawNearVector(next),
    text: Array.from({ length: WORDS_PER_QUERY }, () => word(next)).join(' '),
  };
}

/** Returns the bucket of a document. A filter on one bucket keeps one document in a thousand. */
export function getBucket(document: number): string {
  return `bucket ${document % 1_000}`;
}
