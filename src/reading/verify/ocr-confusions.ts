import { foldWord } from './text/fold.ts';
import type { Token } from './text/tokens.ts';
import type { PageTruth } from './types.ts';

/** OCR confidence, from 0 to 1, below which a digit may be another digit of similar shape. */
const MIN_SURE_CONFIDENCE = 0.6;
const MAX_LETTERS = 24;
const MIN_EDITED_LETTERS = 5;

/**
 * Groups of letters that OCR engines confuse, such as "rn" and "m". Each group is replaced by one
 * representative.
 */
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

const toLetterShape = (letters: string) => {
  let shape = letters;
  for (const [signs, one] of LETTER_SHAPES) shape = shape.replace(signs, one);
  return shape;
};
const toDigitShape = (digits: string) => digits.replace(/\d/g, (digit) => DIGIT_SHAPES[digit]!);
/**
 * Reads a number in which OCR took digits for letters, such as "1O5". Returns `undefined` if a letter
 * resembles no digit, or if fewer than half of the characters are digits.
 */
function parseDigits(letters: string): string | undefined {
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

/** Words and numbers of a scanned page in forms that ignore typical OCR errors. */
export class OcrConfusions {
  private readonly shapes = new Set<string>();
  private readonly edits = new Set<string>();
  private readonly numbers = new Set<string>();
  private readonly uncertainNumbers = new Set<string>();

  constructor(tokens: readonly Token[], truth: PageTruth) {
    const doubted = findUncertainWords(truth);
    for (const { letters, kind } of tokens) {
      if (letters.length > MAX_LETTERS) continue;
      if (kind === 'word' || kind === 'mixed') {
        this.shapes.add(toLetterShape(letters));
        for (const edit of listDeletions(letters)) this.edits.add(edit);
      }
      const digits = kind === 'mixed' ? parseDigits(letters) : undefined;
      if (digits !== undefined) this.numbers.add(digits);
      if (kind === 'number' && (doubted === 'all' || doubted.has(letters)) && letters.length >= 2) {
        this.uncertainNumbers.add(toDigitShape(letters));
      }
    }
  }

  /**
   * Returns whether a token that the page lacks may be the correct reading of a word or number that OCR
   * misread.
   */
  isPossibleMisreading({ letters, kind, isCapital }: Token): boolean {
    if (letters.length > MAX_LETTERS) return false;
    if (kind === 'number') {
      return this.numbers.has(letters) || this.uncertainNumbers.has(toDigitShape(letters));
    }
    if (kind === 'unspaced') return false;
    if (this.shapes.has(toLetterShape(letters))) return true;
    if (kind === 'mixed' || isCapital) return false;
    return [...listDeletions(letters)].some((edit) => this.edits.has(edit));
  }
}

/**
 * Yields a word and each variant of the word with one letter removed. Two words that share a variant differ
 * in about one letter.
 */
function* listDeletions(letters: string): Generator<string> {
  if (letters.length < MIN_EDITED_LETTERS) return;
  yield letters;
  for (let index = 0; index < letters.length; index++) {
    yield letters.slice(0, index) + letters.slice(index + 1);
  }
}

/**
 * Returns the letters and digits of words with low OCR confidence. Returns `all` if only the whole page has a
 * confidence and it is low.
 */
function findUncertainWords({ words, confidence }: PageTruth): Set<string> | 'all' {
  const doubted = new Set<string>();
  const general = confidence ?? 1;
  if (!words || words.length === 0) return general < MIN_SURE_CONFIDENCE ? 'all' : doubted;
  for (const [text, , , , , own] of words) {
    if ((own ?? general) < MIN_SURE_CONFIDENCE) doubted.add(foldWord(text).replace(/[^\p{L}\p{N}]/gu, ''));
  }
  return doubted;
}
