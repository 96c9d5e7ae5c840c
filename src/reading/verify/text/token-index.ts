import { findSpacedRuns } from './spaced-runs.ts';
import type { Token } from './tokens.ts';

/**
 * Maximum number of letters per gram (sequence of letters). Two texts rarely share longer sequences by
 * chance.
 */
const MAX_GRAM_LETTERS = 8;

const MIN_GRAM_LETTERS = 5;

/**
 * Bloom filter over the letters and digits of a page, in sequences of five to eight characters. It tells
 * whether the page contains a word, regardless of spaces. It takes a few bytes per letter. About 0.2 % of
 * absent sequences are reported as present.
 */
class GramFilter {
  private readonly bits: Uint32Array;
  private readonly mask: number;

  constructor(letters: string) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(1024, letters.length * 64)));
    this.bits = new Uint32Array(size / 32);
    this.mask = size - 1;
    for (let start = 0; start < letters.length; start++) {
      for (
        let length = MIN_GRAM_LETTERS;
        length <= MAX_GRAM_LETTERS && start + length <= letters.length;
        length++
      ) {
        for (const bit of this.hashToBits(letters, start, length)) this.bits[bit >>> 5]! |= 1 << (bit & 31);
      }
    }
  }

  has(word: string): boolean {
    if (word.length < MIN_GRAM_LETTERS) return false;
    const length = Math.min(MAX_GRAM_LETTERS, word.length);
    for (let start = 0; start + length <= word.length; start++) {
      for (const bit of this.hashToBits(word, start, length)) {
        if ((this.bits[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
      }
    }
    return true;
  }

  private hashToBits(text: string, start: number, length: number): [number, number] {
    let one = 0x811c9dc5 ^ length;
    let two = 0x9747b28c ^ length;
    for (let index = start; index < start + length; index++) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two, 31) + code + (two >>> 15);
    }
    return [((one ^ (one >>> 13)) >>> 0) & this.mask, ((two ^ (two >>> 11)) >>> 0) & this.mask];
  }
}

const MAX_JOINED_TOKENS = 3;

export class TokenIndex {
  private readonly counts = new Map<number, number>();
  /**
   * Words and numbers that two or three consecutive tokens form when joined. Another text may contain them as
   * one token.
   */
  private readonly joined = new Set<string>();
  private readonly letters = new Set<string>();
  private readonly spaced = new Set<string>();
  private readonly grams: GramFilter;
  private readonly pairs = new Set<number>();
  private readonly width: number;

  /**
   * `size` is greater than every token id. `lines` contains the same tokens in other reading orders, which
   * adds further pairs of neighbours.
   */
  constructor(tokens: readonly Token[], size: number, lines: readonly (readonly Token[])[] = []) {
    this.width = size;
    for (const token of tokens) {
      this.counts.set(token.id, (this.counts.get(token.id) ?? 0) + 1);
      this.letters.add(token.letters);
    }
    for (const order of [tokens, ...lines]) {
      for (let index = 0; index + 1 < order.length; index++) {
        this.pairs.add(order[index]!.id * size + order[index + 1]!.id);
      }
    }
    for (const join of listJoins(tokens)) this.joined.add(join);
    for (const { letters } of findSpacedRuns(tokens)) addPieces(letters, this.spaced);
    this.grams = new GramFilter(tokens.map((token) => token.letters).join(''));
  }

  hasPair(left: Token | undefined, right: Token | undefined): boolean {
    return left !== undefined && right !== undefined && this.pairs.has(left.id * this.width + right.id);
  }

  has(token: Token): boolean {
    return this.counts.has(token.id);
  }

  count(token: Token): number {
    return this.counts.get(token.id) ?? 0;
  }

  /** Returns whether the text contains the letters as one token or as several consecutive tokens. */
  hasLetters(letters: string): boolean {
    return this.letters.has(letters) || this.joined.has(letters);
  }

  /** Returns whether several consecutive tokens of the text form the number. */
  hasJoined(digits: string): boolean {
    return this.joined.has(digits);
  }

  /** Returns whether the text contains these two to four letters in sequence with a space after each. */
  hasSpaced(letters: string): boolean {
    return this.spaced.has(letters);
  }

  /** Returns whether the text contains these letters in sequence, regardless of spaces. */
  hasRun(letters: string): boolean {
    return this.grams.has(letters);
  }
}

/** Yields the words and numbers that result from joining consecutive tokens. */
export function* listJoins(tokens: readonly Token[]): Generator<string> {
  for (let index = 0; index < tokens.length; index++) {
    for (let length = 2; length <= MAX_JOINED_TOKENS && index + length <= tokens.length; length++) {
      if (!canJoin(tokens[index + length - 2]!, tokens[index + length - 1]!)) break;
      yield joinTokens(tokens.slice(index, index + length));
    }
  }
  for (const { letters } of findSpacedRuns(tokens)) yield letters;
}

/**
 * Joins tokens to one word or number. A number next to a word keeps its decimal point. If all tokens are
 * numbers, only their digits are joined.
 */
export function joinTokens(tokens: readonly Token[]): string {
  const isNumber = tokens.every((token) => token.kind === 'number');
  return tokens.map(({ key, letters }) => (!isNumber && key.includes('.') ? key : letters)).join('');
}

/**
 * Returns whether two tokens may be parts of one word or number. Numbers may be divided into groups of three
 * digits. Table cells are never joined.
 */
export function canJoin(left: Token, right: Token): boolean {
  if (left.letters.length + right.letters.length > 40) return false;
  if (left.kind !== 'number' || right.kind !== 'number') return left.kind !== 'unspaced';
  return !right.isFirst && left.letters.length <= 3 && right.wholeDigits === 3;
}

function addPieces(letters: string, pieces: Set<string>) {
  for (let start = 0; start < letters.length; start++) {
    for (let length = 2; length <= 4; length++) pieces.add(letters.slice(start, start + length));
  }
}
