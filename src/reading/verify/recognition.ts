import { foldWord } from './text/fold.ts';
import type { Token } from './text/tokens.ts';
import type { PageTruth } from './types.ts';

/** Below this an engine guesses: another digit of like shape may be meant. */
const UNSURE = 0.6;
const LONGEST = 24;
const SHORTEST_EDITED = 5;

/** Shapes that engines take for each other, each group written as its first sign. */
const LETTER_SHAPES: [RegExp, string][] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[1i|!jt]/g, 'l'],
  [/[0qc]/g, 'o'],
  [/5/g, 's'],
  [/8/g, 'b'],
  [/2/g, 'z'],
  [/[9]/g, 'g'],
  [/[ae]/g, 'o'],
];
const DIGIT_OF_LETTER: Record<string, string> = {
  o: '0',
  q: '0',
  d: '0',
  i: '1',
  l: '1',
  j: '1',
  z: '2',
  s: '5',
  b: '8',
  g: '9',
};
const DIGIT_SHAPES: Record<string, string> = {
  '0': '0',
  '8': '0',
  '6': '0',
  '9': '0',
  '3': '0',
  '1': '1',
  '7': '1',
  '5': '5',
  '2': '2',
  '4': '4',
};

const shapeOf = (letters: string) => {
  let shape = letters;
  for (const [signs, one] of LETTER_SHAPES) shape = shape.replace(signs, one);
  return shape;
};
const digitShapeOf = (digits: string) => digits.replace(/\d/g, (digit) => DIGIT_SHAPES[digit]!);
/** "1O5" as a number; undefined where a letter looks like no digit, or hardly any digit shows. */
function digitsOf(letters: string): string | undefined {
  let read = 0;
  let digits = '';
  for (const sign of letters) {
    const digit = sign >= '0' && sign <= '9' ? sign : DIGIT_OF_LETTER[sign];
    if (digit === undefined) return undefined;
    if (digit === sign) read++;
    digits += digit;
  }
  return read * 2 >= letters.length ? digits : undefined;
}

/** What a page that an OCR engine read may have meant. */
export class Recognition {
  private readonly shapes = new Set<string>();
  private readonly edits = new Set<string>();
  private readonly numbers = new Set<string>();
  private readonly doubtedNumbers = new Set<string>();

  constructor(tokens: readonly Token[], truth: PageTruth) {
    const doubted = doubtedWords(truth);
    for (const { letters, kind } of tokens) {
      if (letters.length > LONGEST) continue;
      if (kind === 'word' || kind === 'mixed') {
        this.shapes.add(shapeOf(letters));
        for (const edit of editsOf(letters)) this.edits.add(edit);
      }
      const digits = kind === 'mixed' ? digitsOf(letters) : undefined;
      if (digits !== undefined) this.numbers.add(digits);
      if (kind === 'number' && (doubted === 'all' || doubted.has(letters)) && letters.length >= 2) {
        this.doubtedNumbers.add(digitShapeOf(letters));
      }
    }
  }

  /** Whether a token that the page does not have may be what the engine misread. */
  mayMean({ letters, kind, isCapital }: Token): boolean {
    if (letters.length > LONGEST) return false;
    if (kind === 'number') {
      return this.numbers.has(letters) || this.doubtedNumbers.has(digitShapeOf(letters));
    }
    if (kind === 'unspaced') return false;
    if (this.shapes.has(shapeOf(letters))) return true;
    if (kind === 'mixed' || isCapital) return false;
    return [...editsOf(letters)].some((edit) => this.edits.has(edit));
  }
}

/** A word and what is left of it without one of its letters: words of which two share one differ in one letter. */
function* editsOf(letters: string): Generator<string> {
  if (letters.length < SHORTEST_EDITED) return;
  yield letters;
  for (let index = 0; index < letters.length; index++) {
    yield letters.slice(0, index) + letters.slice(index + 1);
  }
}

/** Folded letters and digits of the words that the engine is not sure of. */
function doubtedWords({ words, confidence }: PageTruth): Set<string> | 'all' {
  const doubted = new Set<string>();
  const general = confidence ?? 1;
  if (!words || words.length === 0) return general < UNSURE ? 'all' : doubted;
  for (const [text, , , , , own] of words) {
    if ((own ?? general) < UNSURE) doubted.add(foldWord(text).replace(/[^\p{L}\p{N}]/gu, ''));
  }
  return doubted;
}
