import type { AnswerKind } from '#src/languages/interrogatives.ts';

/** Returns the pieces of a sentence that may be an answer of one kind, as they are written. */
export type FindPieces = (sentence: string) => string[];

const NUMBER = /\p{Nd}{1,20}(?:[.,:]\p{Nd}{1,20}){0,4}/gu;
const HAN_NUMBER = /[〇一二三四五六七八九十百千万萬亿億两]{1,12}/gu;
const ENGLISH_NUMBER =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion)\b/giu;
/** Matches a year, a numeric date, or the number of a year, month or day in Chinese, Japanese or Korean. */
const NUMERIC_DATE =
  /(?<!\p{Nd})(?:1\p{Nd}|2[01])\p{Nd}{2}(?!\p{Nd})|\p{Nd}{1,2}[./-]\p{Nd}{1,2}|\p{Nd}{1,4}\s?[年月日년월일]/gu;
const NAME = /\p{Lu}[\p{L}\p{M}'’-]+/gu;
/** Languages whose script has capital letters only for names and beginnings. */
const WITHOUT_CASE = new Set(['zh', 'ja', 'ko', 'th', 'hi', 'ar', 'he']);
/** German writes all nouns with a capital letter, so a capital letter does not mark a name. */
const CAPITAL_NOUNS = 'de';

/** Creates a function that finds answers of a kind. Returns `undefined` if the language does not mark the kind. */
export function createFinder(kind: AnswerKind, language: string): FindPieces | undefined {
  if (kind === 'number') return findNumbers;
  if (kind === 'time') return (sentence) => findDates(sentence, language);
  if (WITHOUT_CASE.has(language) || language === CAPITAL_NOUNS) return undefined;
  return findNames;
}

const findNumbers: FindPieces = (sentence) =>
  [NUMBER, HAN_NUMBER, ENGLISH_NUMBER].flatMap((pattern) => sentence.match(pattern) ?? []);

/** Returns the capitalised words of a sentence. The first word counts only if another one follows it. */
function findNames(sentence: string): string[] {
  const names = [...sentence.matchAll(NAME)];
  return names.flatMap(({ 0: name, index }, at) => {
    const isFirst = !/[\p{L}\p{N},;:]\P{L}?$/u.test(sentence.slice(Math.max(0, index - 2), index));
    const next = names[at + 1];
    const isFollowed = next !== undefined && next.index - index - name.length <= 2;
    return isFirst && !isFollowed ? [] : [name];
  });
}

const monthPatterns = new Map<string, RegExp>();

/** Returns a pattern for the names of the months in a language, from the data of `Intl`. */
function getMonthPattern(language: string): RegExp {
  let pattern = monthPatterns.get(language);
  if (!pattern) {
    const names = (['long', 'short'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' });
      return Array.from(
        { length: 12 },
        (_, index) =>
          format.formatToParts(Date.UTC(2001, index, 2)).find(({ type }) => type === 'month')?.value ?? '',
      );
    });
    const words = names
      .map((name) => name.replace(/\.$/u, ''))
      .filter((name) => /^[\p{L}\p{M}]+$/u.test(name));
    pattern = new RegExp(`(?<![\\p{L}\\p{M}])(?:${words.join('|') || '(?!)'})(?![\\p{L}\\p{M}])`, 'iu');
    monthPatterns.set(language, pattern);
  }
  return pattern;
}

function findDates(sentence: string, language: string): string[] {
  const dates = (sentence.match(NUMERIC_DATE) ?? []).map((date) => date.trim());
  return getMonthPattern(language).test(sentence) ? [...dates, ...(sentence.match(NUMBER) ?? [])] : dates;
}
