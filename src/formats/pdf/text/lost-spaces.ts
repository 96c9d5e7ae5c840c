import type { TextWord } from './words.ts';

/** Minimum gap in letter heights that may stand for a space. Larger gaps already divide words. */
const MIN_GAP = 0.11;
/** A space is at least this many times as wide as the usual gap between letters of the same word. */
const MIN_CONTRAST = 3;
/** Minimum number of narrow gaps per wide gap. Letters that are set apart on purpose have only wide gaps. */
const MIN_NARROW_PER_WIDE = 1.5;

const ENDS_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][,.;:)”’]?$/u;
const STARTS_WORD = /^[“‘]?[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Gap between two letters of a word. */
interface Gap {
  /** Number of UTF-16 units of the word before the gap. */
  at: number;
  /** Index of the character after the gap in the text page. */
  index: number;
  /** Start and end of the gap on the page. */
  from: number;
  to: number;
}

/** Records the gaps between the letters of a word, to find spaces that the file leaves out. */
export class LetterGaps {
  #wide: Gap[] = [];
  #narrow = 0;
  #sum = 0;

  reset(): void {
    if (this.#wide.length > 0) this.#wide = [];
    this.#narrow = 0;
    this.#sum = 0;
  }

  /** Adds a gap between letters. Most gaps are narrow, so no object is created for them. `size` is the font size. */
  add(at: number, index: number, from: number, to: number, size: number): void {
    const width = to - from;
    if (width > MIN_GAP * size) this.#wide.push({ at, index, from, to });
    else {
      this.#narrow += 1;
      if (width > 0) this.#sum += width;
    }
  }

  /** Returns the word divided at lost spaces. Returns `undefined` if it has none. */
  divide(word: TextWord): TextWord[] | undefined {
    const wide = this.#wide;
    if (wide.length === 0 || word.turns !== 0 || word.hidden || word.unmapped || word.math || word.scripts)
      return undefined;
    if (this.#narrow < Math.max(2, MIN_NARROW_PER_WIDE * wide.length)) return undefined;
    const usual = this.#sum / this.#narrow;
    const cuts = wide.filter(
      ({ at, from, to }) =>
        to - from >= MIN_CONTRAST * usual &&
        ENDS_WORD.test(word.text.slice(Math.max(0, at - 2), at)) &&
        STARTS_WORD.test(word.text.slice(at, at + 2)),
    );
    return cuts.length === 0 ? undefined : divideAt(word, cuts);
  }
}

/** Returns the parts of a word between gaps. */
function divideAt(word: TextWord, cuts: readonly Gap[]): TextWord[] {
  const { ink } = word;
  return Array.from({ length: cuts.length + 1 }, (_, at) => {
    const [before, after] = [cuts[at - 1], cuts[at]];
    const x0 = before?.to ?? word.x0;
    const x1 = after?.from ?? word.x1;
    const part: TextWord = { ...word, x0, x1, text: word.text.slice(before?.at ?? 0, after?.at) };
    if (before) Object.assign(part, { first: before.index, spaced: true });
    if (after) part.last = after.index - 1;
    if (ink) part.ink = { ...ink, x0: before ? x0 : ink.x0, x1: after ? x1 : ink.x1 };
    return part;
  });
}
