import { type DateOrder, findDates, findTimes } from '#src/extraction/values/dates.ts';
import type { Found } from '#src/extraction/values/find-all.ts';
import { type DecimalMark, findAmounts, findCurrencies } from '#src/extraction/values/numbers.ts';
import {
  findBics,
  findEmails,
  findIbans,
  findIdentifiers,
  findPhones,
  findPostalCodes,
  findUrls,
  findUuids,
  findVatIds,
} from '#src/extraction/values/patterns.ts';
import { fold, splitWords, squash } from '#src/lib/text/words.ts';
import type { Field } from './fields.ts';

/** Number and date format of a document: the order of day, month and year, and the decimal mark. */
export interface Locale {
  dateOrder: DateOrder;
  decimalMark: DecimalMark;
}

const YES = new Set(['yes', 'y', 'true', 'ja', 'oui', 'tak', 'si', 'x', 'checked', 'required', 'included']);
const NO = new Set(['no', 'n', 'false', 'nein', 'nee', 'non', 'nie', 'none', 'unchecked', 'excluded', 'not']);

/** Returns the values of the field's type in the text that follows the field's label. */
export function readValues(field: Field, text: string, locale: Locale): Found[] {
  switch (field.kind) {
    case 'date':
      return findDates(text, field.description.match(/month\/day|mm\/dd/i) ? 'mdy' : locale.dateOrder);
    case 'datetime':
      return readDateTimes(text, locale);
    case 'time':
      return findTimes(text);
    case 'money':
      return findAmounts(text, locale.decimalMark).filter((amount) => !amount.percent);
    case 'percent': {
      const amounts = findAmounts(text, locale.decimalMark).filter((amount) => !amount.currency);
      return amounts.some((amount) => amount.percent) ? amounts.filter((amount) => amount.percent) : amounts;
    }
    case 'number':
      return findAmounts(text, locale.decimalMark).filter(
        (amount) => field.type !== 'integer' || Number.isInteger(amount.value),
      );
    case 'email':
      return findEmails(text);
    case 'url':
      return field.concept?.id === 'website' ? findUrls(text).map(toHost) : findUrls(text);
    case 'phone':
      return findPhones(text);
    case 'iban':
      return findIbans(text);
    case 'bic':
      return findBics(text);
    case 'vat_id':
      return readTaxIds(text);
    case 'uuid':
      return findUuids(text);
    case 'currency':
      return findCurrencies(text);
    case 'postal_code':
      return findPostalCodes(text);
    case 'identifier':
      return readIdentifiers(text);
    case 'enum':
      return readOptions(field.options, text);
    case 'boolean':
      return readBoolean(text);
    case 'text':
      return readText(text);
  }
}

/**
 * Reduces a web address without a scheme to its host, because the path leads to a single page of the site.
 */
function toHost(found: Found<string>): Found<string> {
  const slash = found.value.indexOf('/');
  if (slash < 0 || found.value.includes('://')) return found;
  const value = found.value.slice(0, slash);
  return { ...found, value, text: value, end: found.start + value.length };
}

function readDateTimes(text: string, locale: Locale): Found[] {
  return findDates(text, locale.dateOrder).map((date) => {
    const [time] = findTimes(text.slice(date.end, date.end + 20));
    if (!time) return { ...date, value: `${date.value}T00:00:00Z`, quality: 0.7 };
    const end = date.end + time.end;
    return { ...date, value: `${date.value}T${time.value}Z`, end, text: text.slice(date.start, end) };
  });
}

function readTaxIds(text: string): Found[] {
  const known = findVatIds(text);
  return known.length > 0
    ? known
    : readIdentifiers(text).map((found) => ({ ...found, quality: Math.min(found.quality, 0.6) }));
}

function readIdentifiers(text: string): Found[] {
  const found: Found[] = findIdentifiers(text);
  if (found.length > 0) return found;
  const bare = /^[\s:#.]*([A-Z][A-Z0-9_-]{2,20})\s*$/.exec(text);
  if (!bare) return [];
  const start = text.indexOf(bare[1]!);
  return [{ value: bare[1], text: bare[1]!, start, end: start + bare[1]!.length, quality: 0.25 }];
}

function readOptions(options: unknown[], text: string): Found[] {
  const folded = fold(text);
  // Folding removes case and accents. If it changes the text's length, offsets are unreliable, so the whole
  // text is cited.
  const aligned = folded.length === text.length;
  const found: Found[] = [];
  for (const option of options) {
    const words = splitWords(String(option).replace(/_/g, ' '));
    if (words.length === 0) continue;
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${words.join('[^\\p{L}\\p{N}]+')}(?![\\p{L}\\p{N}])`, 'u');
    const match = pattern.exec(folded);
    if (!match) continue;
    const start = aligned ? match.index : 0;
    const end = aligned ? start + match[0].length : text.length;
    const whole = squash(text) === words.join('');
    found.push({ value: option, text: text.slice(start, end), start, end, quality: whole ? 1 : 0.85 });
  }
  return found.sort((left, right) => left.start - right.start || right.end - left.end);
}

function readBoolean(text: string): Found[] {
  const mark = /[☑☒✓✔]|\[[xX]\]/.exec(text);
  if (mark)
    return [
      { value: true, text: mark[0], start: mark.index, end: mark.index + mark[0].length, quality: 0.9 },
    ];
  const empty = /☐|\[ ?\]/.exec(text);
  if (empty)
    return [
      { value: false, text: empty[0], start: empty.index, end: empty.index + empty[0].length, quality: 0.8 },
    ];
  const first = /[\p{L}]+/u.exec(text);
  const word = first && fold(first[0]);
  if (!first || !word || !(YES.has(word) || NO.has(word))) return [];
  return [
    {
      value: YES.has(word),
      text: first[0],
      start: first.index,
      end: first.index + first[0].length,
      quality: 0.9,
    },
  ];
}

/** Returns the text after a label, up to the next label or column. */
function readText(text: string): Found[] {
  const lead = /^[\s:;#=|•·–-]*/.exec(text)![0].length;
  let end = text.length;
  const next =
    /\s(?:[|•·●]|[-–] (?=\p{Lu}[\p{L} ]{1,24}:))|\s\p{Lu}[\p{L}/.]*(?: [\p{L}/.]+){0,2}\s?:\s/u.exec(
      text.slice(lead),
    );
  if (next && next.index > 0) end = lead + next.index;
  const value = text.slice(lead, end).trim().replace(/[,;]$/, '');
  if (!/[\p{L}\p{N}]/u.test(value)) return [];
  const start = text.indexOf(value, lead);
  return [{ value, text: value, start, end: start + value.length, quality: value.length > 120 ? 0.4 : 0.8 }];
}
