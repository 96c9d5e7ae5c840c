import { foldWord } from './fold.ts';

/** `mixed` has letters and digits; `unspaced` is one sign of a script that parts no words. */
export type TokenKind = 'number' | 'mixed' | 'word' | 'unspaced';

export interface Token {
  start: number;
  end: number;
  /** What two spellings of the same have in common: the value of a number, the folded letters of a word. */
  key: string;
  /** Folded letters and digits as they stand, for tokens that somebody has split or joined. */
  letters: string;
  /** Digits of a number before its decimals. */
  wholeDigits: number;
  kind: TokenKind;
  isCapital: boolean;
  /** Nothing but signs or nothing at all parts it from the one before. */
  isTouching: boolean;
  /** What parts it from the one before has a line break or the edge of a cell. */
  isFirst: boolean;
  /** The same for every token of one key, whichever text it is in. */
  id: number;
}

/** Numbers of keys, shared by the texts that are compared. */
export type Ids = Map<string, number>;

/** A run is read from its first letter or digit to its last, and marks that part digits belong to it. */
const RUN = /(?:[\p{L}\p{N}\p{M}\p{Cf}]|(?<=\p{Nd})[.,'’٫٬](?=\p{Nd}))+/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const UNSPACED_PARTS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}](?:(?!\p{Nd})\p{M})*|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\s\S])+/gu;
const NUMBER = /^\d+(?:[.,'’٫٬]\d+)*$/;
const SEPARATOR = /[.,'’٫٬]/;
const CAPITAL = /^[\p{Lu}\p{Lt}]/u;

export function tokensOf(text: string, ids: Ids): Token[] {
  const tokens: Token[] = [];
  let last = 0;
  const add = (start: number, end: number, raw: string) => {
    const letters = foldWord(raw);
    if (letters === '') return;
    const isNumber = NUMBER.test(letters);
    const key = isNumber ? amountOf(letters) : letters;
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    const gap = text.slice(last, Math.min(start, last + 200));
    tokens.push({
      start,
      end,
      key,
      letters: isNumber ? letters.replace(/\D/g, '') : letters,
      wholeDigits: isNumber ? wholeDigitsOf(letters) : 0,
      kind: kindOf(raw, letters, isNumber),
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

function kindOf(raw: string, letters: string, isNumber: boolean): TokenKind {
  if (isNumber) return 'number';
  if (UNSPACED.test(raw)) return 'unspaced';
  return /\d/.test(letters) ? 'mixed' : 'word';
}

/** Digits that a mark parts are one number where the marks can be those of thousands and decimals. */
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
 * A number without marks of thousands and zeros that say nothing, its decimals after a point: "1.234,50" is 1234.5. One
 * mark before three digits parts thousands, unless only a zero stands before it.
 */
function amountOf(digits: string): string {
  const groups = digits.split(SEPARATOR);
  const isDecimal = hasDecimals(digits, groups);
  const whole = (isDecimal ? groups.slice(0, -1) : groups).join('').replace(/^0+(?=\d)/, '');
  const fraction = isDecimal ? withoutLastZeros(groups.at(-1)!) : '';
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function hasDecimals(digits: string, groups: readonly string[]): boolean {
  if (groups.length === 2) {
    return groups[1]!.length !== 3 || /^0+$/.test(groups[0]!) || groups[0]!.length > 3;
  }
  const marks = digits.replace(/\d/g, '');
  return groups.length > 2 && marks.at(-1) !== marks[0];
}

function wholeDigitsOf(digits: string): number {
  const groups = digits.split(SEPARATOR);
  return (hasDecimals(digits, groups) ? groups.slice(0, -1) : groups).join('').length;
}

function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
