import { fold } from '#src/lib/text/words.ts';
import { type Found, findAll, withoutOverlaps } from './found.ts';
import { findNumberWords } from './number-words.ts';

const ENGLISH = new Set(['hour', 'day', 'week', 'month', 'year'].flatMap((unit) => [unit, `${unit}s`]));
/** Folded, in the other languages whose dates are read. */
const OTHERS = new Set(
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

/** Lengths of time as "2 years": "two (2) years", "a twelve-month period", "for sixty days", "30 jours". */
export function findDurations(text: string): Found<string>[] {
  return withoutOverlaps([...inDigits(text), ...inWords(text, findNumberWords(text))]);
}

function inDigits(text: string): Found<string>[] {
  return findAll(text, DIGITS, 1, (match) => spell(Number(match[1]), match[2]!));
}

function inWords(text: string, numbers: Found<number>[]): Found<string>[] {
  return numbers.flatMap(({ value, start, end }) => {
    const match = AFTER_WORDS.exec(text.slice(end, end + 60));
    const spelled = match && spell(value, match[1]!);
    if (!spelled) return [];
    const stop = end + match[0].length;
    return [{ value: spelled, text: text.slice(start, stop), start, end: stop, quality: 1 }];
  });
}

/** "twelve-month" says 12 months; other languages keep the unit as it is printed. */
function spell(value: number, word: string): string | undefined {
  const unit = fold(word);
  if (value < 1 || !(ENGLISH.has(unit) || OTHERS.has(unit))) return undefined;
  if (!ENGLISH.has(unit)) return `${value} ${word.toLowerCase()}`;
  const one = unit.replace(/s$/, '');
  return value === 1 ? `1 ${one}` : `${value} ${one}s`;
}
