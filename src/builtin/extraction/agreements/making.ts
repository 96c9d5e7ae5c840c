import { findDates } from '#src/extraction/values/dates.ts';
import { splitIdentifier } from '#src/lib/text/words.ts';
import type { Candidate } from '../evidence.ts';
import type { Field } from '../fields.ts';
import type { Passage, Prose } from '../prose/index.ts';
import { findAskedEnd } from '../prose/period.ts';
import { asksForDocumentDate } from '../prose/question.ts';
import type { Locale } from '../read.ts';

/** Number of sentences and headings at the beginning in which an agreement says when it was made. */
const OPENING = 14;
/** Matches fields that ask when an agreement takes effect. */
const TAKES_EFFECT = /effect|in force|applies|vigueur|vigor|kraft|inkraft|werking/i;
/** Matches the words by which an opening says when the agreement was made. */
const MADE =
  /(?<!\p{L})(?:made|entered|dated|executed|concluded|between|by and among|effective|vom|zwischen|geschlossen|conclu|entre|suscri\p{L}{1,4}|celebra\p{L}{1,3}|stipulat\p{L}|tra|tussen|gesloten)(?!\p{L})/iu;
/** Maximum number of words beside a date that stands alone, as at the top of a letter. */
const MAX_WORDS = 3;
/** Matches the label of the date beside a signature. */
const SIGNED_ON = /(?:^|\s)(?:dated?|datum|date|fecha|data)\s?:?\s$/i;

/**
 * Returns the day on which an agreement was made. An agreement takes effect on that day, unless it says
 * otherwise. The opening counts most, then a date alone at the top of a letter, then a date that only one
 * signature has.
 */
export function findMakingDates(field: Field, prose: Prose, locale: Locale): Candidate[] {
  if (field.kind !== 'date' || !asksWhenMade(field)) return [];
  const opening = prose.passages.slice(0, OPENING);
  if (asksWhenInForce(field)) {
    const [stated] = prose.passages.flatMap((passage) => readEffectiveDate(passage, locale));
    if (stated) return [{ ...stated, features: { meaning: 1, type: 1 } }];
  }
  for (const [read, meaning] of [
    [readOpening, 1],
    [readLetterDate, 0.9],
  ] as const) {
    const found = opening.flatMap((passage) => read(passage, locale)).slice(0, 1);
    if (found.length > 0) return found.map((each) => ({ ...each, features: { meaning, type: 1 } }));
  }
  const signed = prose.passages.slice(-3 * OPENING).flatMap((passage) => readSignatureDate(passage, locale));
  const isSingle = new Set(signed.map(({ value }) => value)).size === 1;
  return isSingle ? [{ ...signed[0]!, features: { meaning: 0.8, type: 1 } }] : [];
}

const asksWhenMade = (field: Field): boolean => asksForDocumentDate(field) || asksWhenInForce(field);

function asksWhenInForce(field: Field): boolean {
  const name = splitIdentifier(field.name).join(' ');
  const takesEffect = TAKES_EFFECT.test(`${name} ${field.description}`);
  return takesEffect && findAskedEnd(name, field.description) !== 'end';
}

type Read = Pick<Candidate, 'value' | 'spans' | 'sentence'>;

const toRead = ({ page }: Passage, date: { value: string; text: string }): Read => ({
  value: date.value,
  spans: [{ page, text: date.text }],
});

function readOpening(passage: Passage, { dateOrder }: Locale): Read[] {
  if (passage.flow === 0 || !MADE.test(passage.text)) return [];
  return findDates(passage.text, dateOrder)
    .slice(0, 1)
    .map((date) => ({ ...toRead(passage, date), sentence: passage.text }));
}

/** Matches the words before the day on which an agreement takes effect, as in "effective as of". */
const EFFECTIVE =
  /(?<!\p{L})(?:effective(?: date)?|takes? effect|in force|in kraft|vigueur|vigor|vigore|werking)(?!\p{L})["”“’']?(?:[\s:,]{1,2}(?:as|of|on|from|is|means|shall|be|the|since|ab|am|seit|vom|à|compter|du|le|desde|el|dal|il|met|ingang|van|op)){0,5}[\s:,]{1,3}$/iu;
/** Matches the words by which a sentence speaks of its own agreement, and not of an earlier one. */
const OWN_AGREEMENT =
  /(?<!\p{L})(?:this|hereof|hereunder|diese[rs]?|présente?|presente|questo|deze)(?!\p{L})|^\W{0,3}effective date/iu;
/** Number of characters before a date that are searched for these words. */
const EFFECTIVE_LENGTH = 50;

/** Returns the day from which a sentence says that the agreement is in force. */
function readEffectiveDate(passage: Passage, { dateOrder }: Locale): Read[] {
  if (passage.index >= OPENING && !OWN_AGREEMENT.test(passage.text)) return [];
  return findDates(passage.text, dateOrder)
    .filter(({ start }) => EFFECTIVE.test(passage.text.slice(Math.max(0, start - EFFECTIVE_LENGTH), start)))
    .slice(0, 1)
    .map((date) => ({ ...toRead(passage, date), sentence: passage.text }));
}

function readLetterDate(passage: Passage, { dateOrder }: Locale): Read[] {
  const [date] = findDates(passage.text, dateOrder);
  if (!date) return [];
  const others = passage.text.replace(date.text, ' ').match(/\p{L}+/gu)?.length ?? 0;
  return others <= MAX_WORDS ? [toRead(passage, date)] : [];
}

function readSignatureDate(passage: Passage, { dateOrder }: Locale): Read[] {
  return findDates(passage.text, dateOrder)
    .filter(({ start }) => SIGNED_ON.test(passage.text.slice(Math.max(0, start - 12), start)))
    .map((date) => toRead(passage, date));
}
