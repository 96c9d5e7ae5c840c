import { foldWord } from './fold.ts';

/**
 * Kind of a token. `mixed` tokens contain letters and digits. An `unspaced` token is one character of a
 * script without spaces between words, such as Chinese.
 */
export type TokenKind = 'number' | 'mixed' | 'word' | 'unspaced';

export interface Token {
  start: number;
  end: number;
  /** Form that all spellings of a token share: the value of a number, or the folded letters of a word. */
  key: string;
  /**
   * Folded letters and digits without separators. They are compared if texts divide their tokens differently.
   */
  letters: string;
  /** Number of digits before the decimal point, or 0 if the token is not a number. */
  wholeDigits: number;
  kind: TokenKind;
  isCapital: boolean;
  /** Whether the token follows the previous token without white space. */
  isTouching: boolean;
  isFirst: boolean;
  /**
   * Number that identifies the token's key. Tokens with the same key have the same id in all compared texts.
   */
  id: number;
}

export type Ids = Map<string, number>;

/** Matches a run of letters and digits. Separators such as "," belong to the run only between two digits. */
const RUN = /(?:[\p{L}\p{N}\p{M}\p{Cf}]|(?<=\p{Nd})[.,'’٫٬](?=\p{Nd}))+/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const UNSPACED_PARTS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}](?:(?!\p{Nd})\p{M})*|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\s\S])+/gu;
const NUMBER = /^\d+(?:[.,'’٫٬]\d+)*$/;
const SEPARATOR = /[.,'’٫٬]/;
const CAPITAL = /^[\p{Lu}\p{Lt}]/u;

export function tokenize(text: string, ids: Ids): Token[] {
  const tokens: Token[] = [];
  let last = 0;
  const add = (start: number, end: number, raw: string) => {
    const letters = foldWord(raw);
    if (letters === '') return;
    const isNumber = NUMBER.test(letters);
    const key = isNumber ? normalizeAmount(letters) : letters;
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    const gap = text.slice(last, Math.min(start, last + 200));
    tokens.push({
      start,
      end,
      key,
      letters: isNumber ? letters.replace(/\D/g, '') : letters,
      wholeDigits: isNumber ? countWholeDigits(letters) : 0,
      kind: classifyToken(raw, letters, isNumber),
      isCapital: CAPITAL.test(raw),
      isTouching: !/\s/.test(gap),
      isFirst: tokens.length === 0 || /[\n\t]/.test(gap),
      id,
    });
    last = end;
  };
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (!UNSPACED.test(run)) addRun(run, index, add);
    else for (const part of run.matchAll(UNSPACED_PARTS)) addRun(part[0], index + part.index, add);
  }
  return tokens;
}

function addRun(run: string, start: number, add: (start: number, end: number, raw: string) => void) {
  if (!SEPARATOR.test(run) || isOneNumber(foldWord(run))) {
    add(start, start + run.length, run);
    return;
  }
  let from = 0;
  for (const part of run.split(SEPARATOR)) {
    if (part !== '') add(start + from, start + from + part.length, part);
    from += part.length + 1;
  }
}

function classifyToken(raw: string, letters: string, isNumber: boolean): TokenKind {
  if (isNumber) return 'number';
  if (UNSPACED.test(raw)) return 'unspaced';
  return /\d/.test(letters) ? 'mixed' : 'word';
}

/**
 * Returns whether digits with separators can be one number. The separators must fit as thousands separators
 * and decimal mark.
 */
function isOneNumber(digits: string): boolean {
  if (!NUMBER.test(digits)) return false;
  const groups = digits.split(SEPARATOR);
  if (groups.length <= 2) return true;
  const marks = digits.replace(/\d/g, '');
  const isDecimalLast = marks.at(-1) !== marks[0];
  const inner = groups.slice(1, isDecimalLast ? -1 : undefined);
  const same = marks.slice(0, isDecimalLast ? -1 : undefined);
  return (
    groups[0]!.length <= 3 &&
    inner.at(-1)?.length === 3 &&
    inner.every((group) => group.length === 3 || group.length === 2) &&
    [...same].every((mark) => mark === same[0])
  );
}

/**
 * Converts a number to a common form without thousands separators and superfluous zeros: "1.234,50" becomes
 * "1234.5". A single separator before three digits separates thousands, unless only zeros or more than three
 * digits precede it.
 */
function normalizeAmount(digits: string): string {
  const groups = digits.split(SEPARATOR);
  const isDecimal = hasDecimals(digits, groups);
  const whole = (isDecimal ? groups.slice(0, -1) : groups).join('').replace(/^0+(?=\d)/, '');
  const fraction = isDecimal ? trimTrailingZeros(groups.at(-1)!) : '';
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function hasDecimals(digits: string, groups: readonly string[]): boolean {
  if (groups.length === 2) {
    return groups[1]!.length !== 3 || /^0+$/.test(groups[0]!) || groups[0]!.length > 3;
  }
  const marks = digits.replace(/\d/g, '');
  return groups.length > 2 && marks.at(-1) !== marks[0];
}

function countWholeDigits(digits: string): number {
  const groups = digits.split(SEPARATOR);
  return (hasDecimals(digits, groups) ? groups.slice(0, -1) : groups).join('').length;
}

function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
