import { spacedRuns } from './spaced-runs.ts';
import type { Token } from './tokens.ts';

/** Pieces of this many letters are enough: two texts rarely share one by chance. */
const LENGTH = 8;

const SHORTEST = 5;

/**
 * The letters and digits of a page without what parts them, in pieces of five to eight: tells whether a word is in it
 * wherever the page sets its blanks. A bit for each piece, so that a page of any length costs a few bytes a letter; two
 * pieces of a thousand share theirs.
 */
class Grams {
  private readonly bits: Uint32Array;
  private readonly mask: number;

  constructor(letters: string) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(1024, letters.length * 64)));
    this.bits = new Uint32Array(size / 32);
    this.mask = size - 1;
    for (let start = 0; start < letters.length; start++) {
      for (let length = SHORTEST; length <= LENGTH && start + length <= letters.length; length++) {
        for (const bit of this.bitsOf(letters, start, length)) this.bits[bit >>> 5]! |= 1 << (bit & 31);
      }
    }
  }

  /** False for words that are too short to tell. */
  has(word: string): boolean {
    if (word.length < SHORTEST) return false;
    const length = Math.min(LENGTH, word.length);
    for (let start = 0; start + length <= word.length; start++) {
      for (const bit of this.bitsOf(word, start, length)) {
        if ((this.bits[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
      }
    }
    return true;
  }

  private bitsOf(text: string, start: number, length: number): [number, number] {
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

/** More tokens than this join to no word. */
const LONGEST_JOIN = 3;

/** What a text holds, asked for the tokens of another. */
export class TokenIndex {
  private readonly counts = new Map<number, number>();
  /** Words and numbers that two or three tokens give together: the text parts what others write as one. */
  private readonly joined = new Set<string>();
  private readonly letters = new Set<string>();
  /** Short pieces of words that are set with a blank after each letter. */
  private readonly spaced = new Set<string>();
  private readonly grams: Grams;
  private readonly pairs = new Set<number>();
  private readonly width: number;

  /** `size` is more than any id; `lines` are other orders of the same tokens in which neighbours stand together. */
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
    for (const join of joinsOf(tokens)) this.joined.add(join);
    for (const { letters } of spacedRuns(tokens)) addPieces(letters, this.spaced);
    this.grams = new Grams(tokens.map((token) => token.letters).join(''));
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

  /** Whether letters stand in the text as one token or as several that follow each other. */
  hasLetters(letters: string): boolean {
    return this.letters.has(letters) || this.joined.has(letters);
  }

  /** Whether several tokens of the text give a number together. */
  hasJoined(digits: string): boolean {
    return this.joined.has(digits);
  }

  /** Whether two to four letters stand in the text with a blank after each. */
  hasSpaced(letters: string): boolean {
    return this.spaced.has(letters);
  }

  /** Whether letters stand in the text with blanks in whatever places. */
  hasRun(letters: string): boolean {
    return this.grams.has(letters);
  }
}

/** What tokens that follow each other are when put together. */
export function* joinsOf(tokens: readonly Token[]): Generator<string> {
  for (let index = 0; index < tokens.length; index++) {
    for (let length = 2; length <= LONGEST_JOIN && index + length <= tokens.length; length++) {
      if (!canJoin(tokens[index + length - 2]!, tokens[index + length - 1]!)) break;
      yield joinOf(tokens.slice(index, index + length));
    }
  }
  for (const { letters } of spacedRuns(tokens)) yield letters;
}

/** Beside words the decimal point of a number stays; within a number only its digits count. */
export function joinOf(tokens: readonly Token[]): string {
  const isNumber = tokens.every((token) => token.kind === 'number');
  return tokens.map(({ key, letters }) => (!isNumber && key.includes('.') ? key : letters)).join('');
}

/** Cells of a table are no parts of one number: groups of three digits are. */
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
