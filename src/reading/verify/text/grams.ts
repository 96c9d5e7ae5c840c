/** Pieces of this many letters are enough: two texts rarely share one by chance. */
const LENGTH = 8;
const SHORTEST = 5;

/**
 * The letters and digits of a page without what parts them, in pieces of five to eight: tells whether a word is in it
 * wherever the page sets its blanks. A bit for each piece, so that a page of any length costs a few bytes a letter; two
 * pieces of a thousand share theirs.
 */
export class Grams {
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
