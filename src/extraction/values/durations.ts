import { fold } from '#src/lib/text/words.ts';
import { type Found, findAll, removeOverlaps } from './find-all.ts';
import { findNumberWords } from './number-words.ts';

const ENGLISH_UNITS = new Set(['hour', 'day', 'week', 'month', 'year'].flatMap((unit) => [unit, `${unit}s`]));
const OTHER_UNITS = new Set(
  (
    'jour jours tag tage tagen dia dias giorno giorni dag dagen semaine semaines woche wochen semana semanas settimana ' +
    'settimane weken mois monat monate monaten mes meses mese mesi maand maanden an ans annee annees jahr jahre jahren ' +
    'ano anos anni jaar heure heures stunde stunden hora horas ora ore uur uren'
  ).split(' '),
);

const KIND = '(?:(?:full|consecutive|calendar|business|working|successive|additional)\\s){0,2}';
const DIGITS = new RegExp(
  `(?<![\\p{L}\\p{N}.,/$€£-])\\(?(\\d{1,4})\\)?(?:\\s|-)?${KIND}(\\p{L}{2,9})(?!\\p{L})`,
  'giu',
);
const AFTER_WORDS = new RegExp(`^(?:\\s?\\(\\d{1,4}\\))?(?:\\s|-)${KIND}(\\p{L}{2,9})(?!\\p{L})`, 'iu');

/**
 * Finds durations in a text and returns them in the form "2 years". Recognizes, for example, "two (2) years",
 * "a twelve-month period" and "30 jours".
 */
export function findDurations(text: string): Found<string>[] {
  return removeOverlaps([...findDigitDurations(text), ...findWordDurations(text, findNumberWords(text))]);
}

function findDigitDurations(text: string): Found<string>[] {
  return findAll(text, DIGITS, 1, (match) => formatDuration(Number(match[1]), match[2]!));
}

function findWordDurations(text: string, numbers: Found<number>[]): Found<string>[] {
  return numbers.flatMap(({ value, start, end }) => {
    const match = AFTER_WORDS.exec(text.slice(end, end + 60));
    const spelled = match && formatDuration(value, match[1]!);
    if (!spelled) return [];
    const stop = end + match[0].length;
    return [{ value: spelled, text: text.slice(start, stop), start, end: stop, quality: 1 }];
  });
}

/**
 * Formats a duration in a common form: an English "twelve-month" becomes "12 months". Units of other
 * languages stay as printed. Returns `undefined` if `word` is not a unit of time.
 */
function formatDuration(value: number, word: string): string | undefined {
  const unit = fold(word);
  if (value < 1 || !(ENGLISH_UNITS.has(unit) || OTHER_UNITS.has(unit))) return undefined;
  if (!ENGLISH_UNITS.has(unit)) return `${value} ${word.toLowerCase()}`;
  const one = unit.replace(/s$/, '');
  return value === 1 ? `1 ${one}` : `${value} ${one}s`;
}
