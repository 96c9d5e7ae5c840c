import { largest } from '#src/lib/extremes.ts';
import { fold } from '#src/lib/text/words.ts';

/** Start or end of a period that a date marks, for example of a contract, a job, a statement or a stay. */
export type PeriodEnd = 'start' | 'end';

/**
 * Words before a date that mark the beginning or end of a period, without accents, in the languages whose
 * dates are read.
 */
const WORDS_BEFORE_DATE: Record<PeriodEnd, RegExp> = {
  start:
    /(?<![a-z])(?:from|since|begin(?:s|ning)?|beginn|commenc(?:e|es|ed|ing|ement)|start(?:s|ed|ing)?|effective(?: date)?|in force|as of|ab|vom|seit|depuis|a compter du|des le|debut|desde|a partir (?:de|du)|inizio|dal|vanaf|ingang|od)(?![a-z])/g,
  end: /(?<![a-z])(?:until|till|through|to|end(?:s|ed|ing)?|expir(?:e|es|ed|ing|y|ation)|terminat(?:e|es|ing|ion)|conclud(?:e|es|ing)|bis|endet|ende|jusqu.au|au|fin|hasta|al|fine|tot|tot en met|do)(?![a-z])/g,
};
const QUESTION_WORDS: Record<PeriodEnd, RegExp> = {
  start:
    /\b(?:start|begin|beginning|commence(?:ment|s)?|effective|effect|in force from|takes effect|valid from|from|beginn|ab|debut|inicio|inizio|ingang)\b/,
  end: /\b(?:end|expir\w{0,7}|until|terminat\w{0,6}|last day|runs? out|valid (?:to|until)|ende|bis|fin|hasta|vence|scade\w{0,4})\b/,
};
/** Maximum number of characters before a date that are searched for words such as "from" or "until". */
const MAX_DISTANCE = 40;

/**
 * Returns whether a schema field asks for the start or the end of a period. The field's name is tried first,
 * then its description. Returns undefined if neither says so.
 */
export function findAskedEnd(name: string, description: string): PeriodEnd | undefined {
  return findEnd(fold(name)) ?? findEnd(fold(description));
}

function findEnd(text: string): PeriodEnd | undefined {
  const [start, end] = [QUESTION_WORDS.start.test(text), QUESTION_WORDS.end.test(text)];
  return start === end ? undefined : start ? 'start' : 'end';
}

/**
 * Returns whether the text before a date marks the date as the start or the end of a period. The nearest word
 * decides. Returns undefined without such a word.
 */
export function findStatedEnd(text: string, at: number): PeriodEnd | undefined {
  const before = fold(text.slice(Math.max(0, at - MAX_DISTANCE), at));
  const last = (end: PeriodEnd) =>
    largest(
      [...before.matchAll(WORDS_BEFORE_DATE[end])].map(({ index }) => index),
      -1,
    );
  const [start, end] = [last('start'), last('end')];
  return start === end ? undefined : start > end ? 'start' : 'end';
}

const BEGINS_OR_ENDS =
  /(?<![a-z])(?:begin|beginn|commenc|start|end|expir|terminat|debut|inici)[a-z]{0,6}(?![a-z])/;

/** Returns whether the text before a date says that something begins or ends on it. */
export const statesBeginOrEnd = (text: string, at: number): boolean =>
  BEGINS_OR_ENDS.test(fold(text.slice(Math.max(0, at - MAX_DISTANCE), at)));
