import { findDates } from '#src/extraction/values/dates.ts';
import { wordsOf } from '#src/lib/text/words.ts';
import { type LayoutPage, type Line, overlapX, partOf, type Segment } from '../layout.ts';

// Addresses are told by their shape, in whatever language: a postal code beside a capitalised place, a house number
// beside capitalised words, on consecutive short lines.

/** Where a piece of text names a town with its postal code, and what stands before it: mostly the street. */
export interface Place {
  city: string;
  zip: string;
  start: number;
  end: number;
  /** Four digits, which may as well be a house's or any other number: told by the street above. */
  short: boolean;
}

/** Consecutive lines that are one address, and the lines right above that may name whose it is. */
export interface AddressBlock {
  lines: Segment[];
  above: Segment[];
  /** How surely it is one, 0..1: a postal code says more than a street alone. */
  surety: number;
  /** Printed in one line with the name, as senders are over the window of an envelope. */
  inLine?: boolean;
}

const CITY = `(?<city>\\p{Lu}[\\p{L}.'’ -]{1,40}?)`;
/** Postal codes of five digits, the Netherlands, Poland, Sweden, Portugal; of four digits at the start only. */
const CODE_FIRST = new RegExp(
  `(?:(?<![\\p{L}\\d#.,/-])(?:\\p{Lu}{1,3}[ -])?(?<zip>\\d{5}(?:-\\d{3,4})?|\\d{4} ?\\p{Lu}{2}|\\d{2}-\\d{3}|\\d{3} \\d{2}|\\d{4}-\\d{3})|(?:^|(?<=[,;•|·–-] ))(?:\\p{Lu}{1,3}-)?(?<short>\\d{4})),? ${CITY}(?=[,;•|·()–\\n]| -|$)`,
  'u',
);
/** "Fremont, CA 94538", "Vancouver, BC, V6B 1A1", "Leeds LS1 4DY", "Mumbai - 400001", "Lisboa 1100-038". */
const CODE_LAST = new RegExp(
  `(?<!\\p{L})${CITY}(?:,? ?(?<=[, ])(?<region>\\p{Lu}\\p{L}))?(?:,| -)? ?(?<=[ ,.-])(?<zip>\\p{Lu}{1,2}\\d[\\p{Lu}\\d]? ?\\d\\p{Lu}{2}|\\p{Lu}[\\dOI]\\p{Lu} ?[\\dOI]\\p{Lu}[\\dOI]|\\d{5}(?:-\\d{3,4})?|\\d{6}|\\d{3}-\\d{4})(?![\\p{L}\\d.,/-]\\d|[\\p{L}\\d])`,
  'u',
);
const CODE_ALONE = /^\p{Lu}{1,2}\d[\p{Lu}\d]? ?[\dS]\p{Lu}{2}$|^\p{Lu}[\dOI]\p{Lu} ?[\dOI]\p{Lu}[\dOI]$/u;
/** "San Francisco, CA", "VANCOUVER BC", "San francisco, California": a town without a code says it by its region. */
const TOWN_ALONE = /^\p{Lu}[\p{L}.' -]{1,30}(?:, ?\p{Lu}[\p{L} ]{1,20}|,? \p{Lu}{2})(?=$|,? [\d-])/u;

const TOWN_WITH_REGION = /^\p{Lu}[\p{L}.' -]{1,30}, ?\p{Lu}{2}(?=$|,? [\d-])/u;

const HOUSE_LAST =
  /^\p{L}[\p{L}.'’ -]{2,40},? (?:n[°ºo.]+ ?)?\d{1,4} ?\p{L}?(?: ?[-/+] ?\d{1,4} ?\p{L}?)?(?=$|,)/u;
const HOUSE_FIRST = /^#?\d{1,5}\p{L}?(?:[-/]\d{1,5})?,? (?:bis |ter )?\p{L}[\p{L}\d.'’ -]{2,50}(?=$|,)/u;
/** How the languages that we meet end or begin the name of a street: with it a line is a street by itself. */
const STREET_WORDS = new Set(
  'street st road rd avenue ave boulevard blvd lane ln drive dr way square sq court place plaza parkway highway hwy rue chemin via viale calle avenida rua ulica ul aleja plein'.split(
    ' ',
  ),
);
const STREET_ENDING = /(?:str(?:asse|aat)?|weg|gasse|platz|allee|laan|gatan|vej|gata|ring|damm|ufer)$/;

const MOST_LENGTH = 90;

/** The town and postal code that a text names. */
export function placeIn(text: string): Place | undefined {
  if (text.length > MOST_LENGTH * 2 || !/\d/.test(text)) return undefined;
  const place = codeLast(text) ?? codeFirst(text);
  return place && !isOther(text) ? place : undefined;
}

function codeLast(text: string): Place | undefined {
  const match = CODE_LAST.exec(text);
  if (!match) return undefined;
  const { city = '', zip = '', region } = match.groups!;
  // Digits behind a name are a postal code only where a comma, a dash or a region of two letters leads to them.
  const led = (zip.length === 6 ? /^\s*[,-]/ : /^\s*,/).test(match[0].slice(city.trimEnd().length));
  const town = city.replace(/(?<![\s,/.-])[\s,/.-]+$/, '');
  if (/^\d+$/.test(zip) && !region && !led) return undefined;
  const end = match.index + match[0].length;
  return isTown(town) ? { city: town, zip, start: match.index, end, short: false } : undefined;
}

function codeFirst(text: string): Place | undefined {
  const match = CODE_FIRST.exec(text);
  if (!match) return undefined;
  const { city = '', zip = match.groups!.short! } = match.groups!;
  const before = text.slice(0, match.index).trimEnd();
  if (before !== '' && !/[,;:•|·–-]$/.test(before) && streetness(before) === 0) return undefined;
  const end = match.index + match[0].trimEnd().length;
  const short = match.groups!.short !== undefined;
  const town = city
    .trim()
    .replace(/(?<![,.-])[,.-]+$/, '')
    .trimEnd();
  // "721 Market Street" has its house first.
  if (!isTown(town) || (short && before === '' && streetness(text) === 1)) return undefined;
  return { city: town, zip, start: match.index + match[0].indexOf(zip), end, short };
}

const isTown = (text: string) => /\p{L}{3}/u.test(text) && wordsOf(text).length <= 5;

const isOther = (text: string) =>
  /[@%€$£]|\d[.,]\d{2}(?!\d)/.test(text) || findDates(text).length > 0 || /\d:\d{2}/.test(text);

/** How surely a line is a street with its house, 0..1. */
export function streetness(text: string): number {
  const line = text.trim().replace(/[.,;]$/, '');
  if (line.length > MOST_LENGTH || /[@%€$£:=*?]|.#/.test(line) || !/\p{L}{2}/u.test(line)) return 0;
  const words = wordsOf(line);
  const named = words.some((word) => STREET_WORDS.has(word) || STREET_ENDING.test(word));
  const digits = /\d/.test(line);
  if (!digits) return named && words.length <= 4 ? 0.4 : 0;
  const shaped = HOUSE_LAST.test(line) || HOUSE_FIRST.test(line);
  if (words.length > 9 || !(shaped || named) || isOther(line)) return 0;
  if (!shaped) return 0.7;
  return named ? 1 : 0.5;
}

/** A further line of an address: a building, a floor, a district. It has to be short, and begin with a capital. */
const isFurther = (text: string) =>
  text.length <= 45 &&
  /^[\p{Lu}\d]/u.test(text) &&
  /\d/.test(text) &&
  !/[:@%€$£#*]|\d[.,]\d{2}(?!\d)|\d{5}/.test(text);

/** The addresses of a page, in its order: around sure postal codes, then short ones, then streets without any. */
export function addressesOf(page: LayoutPage): AddressBlock[] {
  const taken = new Set<Segment>();
  const out: AddressBlock[] = [];
  for (const line of page.lines) {
    const block = inLine(line);
    if (!block) continue;
    for (const segment of line.segments) taken.add(segment);
    out.push(block);
  }
  const segments = page.lines.flatMap((line) => line.segments);
  const readers = [
    (segment: Segment) => aroundPlace(segment, false),
    (segment: Segment) => aroundPlace(segment, true),
    aroundStreet,
  ];
  for (const read of readers) {
    for (const segment of segments) {
      const block = taken.has(segment) ? undefined : read(segment);
      if (!block || block.lines.some((line) => taken.has(line))) continue;
      for (const line of block.lines) taken.add(line);
      out.push(block);
    }
  }
  return out.sort((left, right) => left.lines[0]!.line - right.lines[0]!.line);
}

const SEPARATOR = /(?<!\s)\s*[•|·●]\s*|(?<!\s)\s+[–-]\s+/;

/** "Acme GmbH • Main Street 1 • 12345 Town": name, street and town in the pieces of one line. */
function inLine(line: Line): AddressBlock | undefined {
  if (!line.segments.some(({ text }) => SEPARATOR.test(text) || /^[•|·●]$/.test(text))) return undefined;
  const pieces = line.segments.flatMap((segment) =>
    segment.text
      .split(SEPARATOR)
      .filter((text) => /[\p{L}\p{N}]/u.test(text))
      .map((text) => partOf(segment, segment.text.indexOf(text), text.length)),
  );
  const at = pieces.findIndex(({ text }) => placeIn(text));
  const [name, ...rest] = pieces.slice(0, at + 1);
  if (!name || rest.length === 0 || streetness(name.text) > 0 || /[:@]/.test(name.text)) return undefined;
  return { lines: rest, above: [name], surety: 1, inLine: true };
}

function aroundPlace(segment: Segment, short: boolean): AddressBlock | undefined {
  const place = placeIn(segment.text);
  const alone = !place && !short && CODE_ALONE.test(segment.text);
  if (place ? place.short !== short : !alone) return undefined;
  const lines = [segment];
  if (alone) {
    const town = over(segment);
    if (!town || !isBare(town.text)) return undefined;
    lines.unshift(town);
  }
  const before = place ? segment.text.slice(0, place.start).replace(/(?<![\s,;•|·–-])[\s,;•|·–-]+$/, '') : '';
  const whole = streetness(before.split(/[,;•|·]/).at(-1)!) > 0 || before.includes(',');
  let street = whole ? streetness(before) : 0;
  for (let rows = 0; !whole && rows < 3; rows++) {
    const next = over(lines[0]!);
    if (!next || placeIn(next.text)?.short === false) break;
    const surer = streetness(next.text) > street;
    if (!surer && !(isFurther(next.text) && (street === 0 || next.text.includes(',')))) break;
    lines.unshift(next);
    street = Math.max(street, streetness(next.text));
  }
  const next = street === 0 && !whole ? segment.page.lines[segment.line + 1] : undefined;
  const below = next?.segments.find((other) => streetness(other.text) === 1);
  if (below) {
    lines.push(below);
    street = 1;
  }
  if (short && street === 0 && !whole) return undefined;
  return { lines, above: runAbove(lines[0]!), surety: street > 0 || whole ? 1 : 0.6 };
}

const isBare = (text: string) => /^\p{Lu}[\p{L}.,' -]{2,40}$/u.test(text);

/** A street without a postal code: on till receipts, in letterheads. */
function aroundStreet(segment: Segment): AddressBlock | undefined {
  const [first, ...rest] = segment.text.split(/,\s*/);
  const further = TOWN_WITH_REGION.test(segment.text) ? over(segment) : undefined;
  if (further && isFurther(further.text))
    return { lines: [further, segment], above: runAbove(further), surety: 0.6 };
  const sure = streetness(first!);
  if (sure < 0.7 || rest.length > 4) return undefined;
  const lines = [segment];
  const above = over(segment);
  if (above && isFurther(above.text) && streetness(above.text) === 0 && /,|\p{L} \p{Lu}?\d/u.test(above.text))
    lines.unshift(above);
  const below = under(segment);
  if (below && (TOWN_ALONE.test(below.text) || (isFurther(below.text) && placeIn(below.text))))
    lines.push(below);
  return {
    lines,
    above: runAbove(lines[0]!),
    surety: (lines.length > 1 || rest.length > 0 ? 0.7 : 0.5) * sure,
  };
}

/** The piece of the line above that stands in the same column. */
export const over = (segment: Segment) => neighbour(segment, -1);
export const under = (segment: Segment) => neighbour(segment, 1);

/** Lines of other columns may stand between. */
function neighbour(segment: Segment, step: 1 | -1): Segment | undefined {
  for (let away = 1; away <= 3; away++) {
    const line = segment.page.lines[segment.line + step * away];
    if (!line || gapBetween(segment, line) > segment.box.h * 2.3) return undefined;
    const found = line.segments.find((other) => isAligned(other, segment));
    if (found || !segment.page.measured) return found;
  }
  return undefined;
}

function gapBetween(segment: Segment, line: Line): number {
  const [upper, lower] =
    line.y < segment.box.y ? [line.y + line.h, segment.box.y] : [segment.box.y + segment.box.h, line.y];
  return lower - upper;
}

/** Left edges or middles on one line, or one piece wholly over the other. */
function isAligned(left: Segment, right: Segment): boolean {
  const middle = (segment: Segment) => segment.box.x + segment.box.w / 2;
  return (
    Math.abs(left.box.x - right.box.x) < 8 ||
    Math.abs(middle(left) - middle(right)) < 8 ||
    overlapX(left.box, right.box) > 0.9
  );
}

/** The lines right above a block, nearest last. */
function runAbove(segment: Segment): Segment[] {
  const out: Segment[] = [];
  let top = segment;
  for (let rows = 0; rows < 4; rows++) {
    const next = over(top);
    if (!next) break;
    if (inLine(next.page.lines[next.line]!)) break;
    out.unshift(next);
    top = next;
    if (/:\s*$/.test(next.text)) break;
  }
  return out;
}
