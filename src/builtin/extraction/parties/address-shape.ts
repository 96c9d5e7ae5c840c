import { findDates } from '#src/extraction/values/dates.ts';
import { splitWords } from '#src/lib/text/words.ts';

// Addresses are recognised by their shape, in any language: a postal code beside a capitalised place name, or
// a house number beside capitalised words, on consecutive short lines.

/**
 * Town and postal code that were found in a text, with their offsets. The text before them is usually the
 * street.
 */
export interface Place {
  city: string;
  zip: string;
  start: number;
  end: number;
  /**
   * True if the postal code has only four digits and may therefore be some other number. A street above
   * confirms the address.
   */
  short: boolean;
}

const CITY = `(?<city>\\p{Lu}[\\p{L}.'’ -]{1,40}?)`;
/**
 * Matches a postal code before a town: five digits, and the codes of the Netherlands, Poland, Sweden and
 * Portugal. Codes of four digits match only at the beginning.
 */
const CODE_FIRST = new RegExp(
  `(?:(?<![\\p{L}\\d#.,/-])(?:\\p{Lu}{1,3}[ -])?(?<zip>\\d{5}(?:-\\d{3,4})?|\\d{4} ?\\p{Lu}{2}|\\d{2}-\\d{3}|\\d{3} \\d{2}|\\d{4}-\\d{3})|(?:^|(?<=[,;•|·–-] ))(?:\\p{Lu}{1,3}-)?(?<short>\\d{4})),? ${CITY}(?=[,;•|·()–\\n]| -|$)`,
  'u',
);
/**
 * Matches a postal code after a town, as in `Fremont, CA 94538`, `Vancouver, BC, V6B 1A1`, `Leeds LS1 4DY` or
 * `Mumbai - 400001`.
 */
const CODE_LAST = new RegExp(
  `(?<!\\p{L})${CITY}(?:,? ?(?<=[, ])(?<region>\\p{Lu}\\p{L}))?(?:,| -)? ?(?<=[ ,.-])(?<zip>\\p{Lu}{1,2}\\d[\\p{Lu}\\d]? ?\\d\\p{Lu}{2}|\\p{Lu}[\\dOI]\\p{Lu} ?[\\dOI]\\p{Lu}[\\dOI]|\\d{5}(?:-\\d{3,4})?|\\d{6}|\\d{3}-\\d{4})(?![\\p{L}\\d.,/-]\\d|[\\p{L}\\d])`,
  'u',
);
export const CODE_ALONE =
  /^\p{Lu}{1,2}\d[\p{Lu}\d]? ?[\dS]\p{Lu}{2}$|^\p{Lu}[\dOI]\p{Lu} ?[\dOI]\p{Lu}[\dOI]$/u;
/** Matches a town with its region but without a postal code, as in "San Francisco, CA". */
export const TOWN_ALONE = /^\p{Lu}[\p{L}.' -]{1,30}(?:, ?\p{Lu}[\p{L} ]{1,20}|,? \p{Lu}{2})(?=$|,? [\d-])/u;

export const TOWN_WITH_REGION = /^\p{Lu}[\p{L}.' -]{1,30}, ?\p{Lu}{2}(?=$|,? [\d-])/u;

const HOUSE_LAST =
  /^\p{L}[\p{L}.'’ -]{2,40},? (?:n[°ºo.]+ ?)?\d{1,4} ?\p{L}?(?: ?[-/+] ?\d{1,4} ?\p{L}?)?(?=$|,)/u;
const HOUSE_FIRST = /^#?\d{1,5}\p{L}?(?:[-/]\d{1,5})?,? (?:bis |ter )?\p{L}[\p{L}\d.'’ -]{2,50}(?=$|,)/u;
/** Words that begin or end the names of streets, in many languages. A line with one of them is a street. */
const STREET_WORDS = new Set(
  'street st road rd avenue ave boulevard blvd lane ln drive dr way square sq court place plaza parkway highway hwy rue chemin via viale calle avenida rua ulica ul aleja plein jalan jln jl lorong calea strada sokak cadde'.split(
    ' ',
  ),
);
const STREET_ENDING = /(?:str(?:asse|aat)?|weg|gasse|platz|allee|laan|gatan|vej|gata|ring|damm|ufer)$/;

export const MAX_LENGTH = 90;

/** Finds the town and postal code in a text. Returns undefined if it contains none. */
export function findPlace(text: string): Place | undefined {
  if (text.length > MAX_LENGTH * 2 || !/\d/.test(text)) return undefined;
  const place = readCodeAfterTown(text) ?? readCodeBeforeTown(text);
  return place && !isOtherText(text) ? place : undefined;
}

function readCodeAfterTown(text: string): Place | undefined {
  const match = CODE_LAST.exec(text);
  if (!match) return undefined;
  const { city = '', zip = '', region } = match.groups!;
  // Digits after a name are a postal code only if a comma, a dash or a region of two letters precedes them.
  const led = (zip.length === 6 ? /^\s*[,-]/ : /^\s*,/).test(match[0].slice(city.trimEnd().length));
  const town = city.replace(/(?<![\s,/.-])[\s,/.-]+$/, '');
  if (/^\d+$/.test(zip) && !region && !led) return undefined;
  const end = match.index + match[0].length;
  return isTown(town) ? { city: town, zip, start: match.index, end, short: false } : undefined;
}

function readCodeBeforeTown(text: string): Place | undefined {
  const match = CODE_FIRST.exec(text);
  if (!match) return undefined;
  const { city = '', zip = match.groups!.short! } = match.groups!;
  const before = text.slice(0, match.index).trimEnd();
  if (before !== '' && !/[,;:•|·–-]$/.test(before) && scoreStreet(before) === 0) return undefined;
  const end = match.index + match[0].trimEnd().length;
  const short = match.groups!.short !== undefined;
  const town = city
    .trim()
    .replace(/(?<![,.-])[,.-]+$/, '')
    .trimEnd();
  // The number in "721 Market Street" is a house number.
  if (!isTown(town) || (short && before === '' && scoreStreet(text) === 1)) return undefined;
  return { city: town, zip, start: match.index + match[0].indexOf(zip), end, short };
}

const isTown = (text: string) => /\p{L}{3}/u.test(text) && splitWords(text).length <= 5;

const isOtherText = (text: string) =>
  /[@%€$£]|\d[.,]\d{2}(?!\d)/.test(text) || findDates(text).length > 0 || /\d:\d{2}/.test(text);

/** Returns how likely a line is a street with a house number, from 0 to 1. */
export function scoreStreet(text: string): number {
  const line = text.trim().replace(/[.,;]$/, '');
  if (line.length > MAX_LENGTH || /[@%€$£:=*?]|.#/.test(line) || !/\p{L}{2}/u.test(line)) return 0;
  const words = splitWords(line);
  const named = words.some((word) => STREET_WORDS.has(word) || STREET_ENDING.test(word));
  const digits = /\d/.test(line);
  if (!digits) return named && words.length <= 4 ? 0.4 : 0;
  const shaped = HOUSE_LAST.test(line) || HOUSE_FIRST.test(line);
  if (words.length > 9 || !(shaped || named) || isOtherText(line)) return 0;
  if (!shaped) return 0.7;
  return named ? 1 : 0.5;
}
