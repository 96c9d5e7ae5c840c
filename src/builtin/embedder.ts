import type { Embedder } from '#src/ports/embedder.ts';
import { loadWordWeight, type WordWeight } from './word-weight.ts';

export const BUILTIN_EMBEDDING_DIMENSION = 384;
const VERSION = 1;

/**
 * Number of vector coordinates to which each feature of a text is hashed. More coordinates reduce hash
 * collisions, and fewer are faster.
 */
const PROJECTIONS = 8;
const STEM_LENGTH = 4;
const FEATURE_WEIGHT = { word: 0.5, stem: 0.9, trigrams: 0.7, pair: 1, character: 1 };
const MAX_CACHED_WORDS = 20_000;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** Sparse vector of a word: coordinates, and the values at the same positions. */
interface SparseVector {
  indices: Uint16Array;
  values: Float32Array;
}

/**
 * Creates a text embedder that needs no model. It hashes words, word beginnings and letter trigrams to a few
 * signed coordinates each. For scripts without spaces it uses characters and character pairs instead.
 * Features are weighted by how rare the word is in general language. Texts that share words or word forms get
 * similar vectors, but synonyms do not.
 */
export function createBuiltinEmbedder(dimension = BUILTIN_EMBEDDING_DIMENSION): Embedder {
  let cache = new Map<string, SparseVector>();
  const getWordVector = (word: string, weight: WordWeight): SparseVector => {
    let vector = cache.get(word);
    if (!vector) {
      if (cache.size >= MAX_CACHED_WORDS) cache = new Map();
      vector = project(listFeatures(word, weight), dimension);
      cache.set(word, vector);
    }
    return vector;
  };
  return {
    modelId: `builtin/hashed-words-${VERSION}-${dimension}`,
    dimension,
    async embed(texts, _purpose, signal) {
      signal?.throwIfAborted();
      const weight = await loadWordWeight();
      return texts.map((text) => {
        const vector = new Float32Array(dimension);
        for (const [word, count] of countWords(text)) {
          const { indices, values } = getWordVector(word, weight);
          const times = Math.sqrt(count);
          for (let i = 0; i < indices.length; i++) vector[indices[i]!]! += values[i]! * times;
        }
        return normalize(vector);
      });
    },
  };
}

/** Returns whether a text contains anything that the embedder reads. */
export const hasWord = (text: string) => text.normalize('NFKC').search(WORD) >= 0;

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (word: string) => counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (!UNSPACED.test(word)) {
      add(word.length > 64 ? word.slice(0, 64) : word);
      continue;
    }
    let previous = '';
    for (const char of word) {
      add(char);
      if (previous !== '') add(previous + char);
      previous = char;
    }
  }
  return counts;
}

function listFeatures(word: string, weight: WordWeight): [feature: string, weight: number][] {
  if (UNSPACED.test(word)) {
    return [...word].length > 1
      ? [[`b${word}`, FEATURE_WEIGHT.pair]]
      : [[`c${word}`, FEATURE_WEIGHT.character]];
  }
  const rarity = weight(word);
  const features: [string, number][] = [
    [`w${word}`, rarity * FEATURE_WEIGHT.word],
    [`s${word.slice(0, STEM_LENGTH)}`, rarity * FEATURE_WEIGHT.stem],
  ];
  const marked = `^${word}$`;
  const each = (rarity * FEATURE_WEIGHT.trigrams) / Math.sqrt(marked.length - 2);
  for (let i = 0; i + 3 <= marked.length; i++) features.push([`t${marked.slice(i, i + 3)}`, each]);
  return features;
}

function project(features: [string, number][], dimension: number): SparseVector {
  const indices = new Uint16Array(features.length * PROJECTIONS);
  const values = new Float32Array(indices.length);
  let at = 0;
  for (const [feature, weight] of features) {
    for (let k = 0; k < PROJECTIONS; k++) {
      const bits = hash(feature, k);
      indices[at] = (bits >>> 1) % dimension;
      values[at++] = bits & 1 ? weight : -weight;
    }
  }
  return { indices, values };
}

/** Returns a Murmur-like 32-bit hash of a short string. */
function hash(text: string, seed: number): number {
  let h = Math.imul(seed + 1, 0x9e3779b1);
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 0x5bd1e995);
    h ^= h >>> 15;
  }
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * Scales a vector to length 1. A text without words gets a fixed direction, because a zero vector cannot be
 * scaled.
 */
function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) {
    vector[0] = 1;
    return vector;
  }
  const scale = 1 / Math.sqrt(sum);
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale;
  return vector;
}
