import { findDates } from '#src/extraction/values/dates.ts';
import { splitWords } from '#src/lib/text/words.ts';
import { type LayoutPage, type Line, type Segment, sliceSegment } from '../layout.ts';
import { hasLegalForm } from './legal-forms.ts';
import { findSegmentAbove, findSegmentBelow } from './neighbours.ts';

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

/** Consecutive lines of one address, and the lines above them that may name the party. */
export interface AddressBlock {
  lines: Segment[];
  above: Segment[];
  /** Certainty that the lines are an address, from 0 to 1. A postal code is better evidence than a street. */
  certainty: number;
  /** True if name and address are on one line, as in the sender's line of a window envelope. */
  isInLine?: boolean;
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
 * Matches a postal code after a town, as in "Fremont, CA 94538", "Vancouver, BC, V6B 1A1", "Leeds LS1 4DY" or
 * "Mumbai - 400001".
 */
const CODE_LAST = new RegExp(
  `(?<!\\p{L})${CITY}(?:,? ?(?<=[, ])(?<region>\\p{Lu}\\p{L}))?(?:,| -)? ?(?<=[ ,.-])(?<zip>\\p{Lu}{1,2}\\d[\\p{Lu}\\d]? ?\\d\\p{Lu}{2}|\\p{Lu}[\\dOI]\\p{Lu} ?[\\dOI]\\p{Lu}[\\dOI]|\\d{5}(?:-\\d{3,4})?|\\d{6}|\\d{3}-\\d{4})(?![\\p{L}\\d.,/-]\\d|[\\p{L}\\d])`,
  'u',
);
const CODE_ALONE = /^\p{Lu}{1,2}\d[\p{Lu}\d]? ?[\dS]\p{Lu}{2}$|^\p{Lu}[\dOI]\p{Lu} ?[\dOI]\p{Lu}[\dOI]$/u;
/** Matches a town with its region but without a postal code, as in "San Francisco, CA". */
const TOWN_ALONE = /^\p{Lu}[\p{L}.' -]{1,30}(?:, ?\p{Lu}[\p{L} ]{1,20}|,? \p{Lu}{2})(?=$|,? [\d-])/u;

const TOWN_WITH_REGION = /^\p{Lu}[\p{L}.' -]{1,30}, ?\p{Lu}{2}(?=$|,? [\d-])/u;

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

const MAX_LENGTH = 90;

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

/**
 * Returns whether a line can be another line of an address, such as a building, floor or district. It must be
 * short and begin with a capital or digit.
 */
const isFurtherLine = (text: string) =>
  text.length <= 45 &&
  /^[\p{Lu}\d]/u.test(text) &&
  /\d/.test(text) &&
  !/[:@%€$£#*]|\d[.,]\d{2}(?!\d)|\d{5}/.test(text);

/**
 * Returns the addresses of a page in reading order. Addresses are searched for by certain postal codes first,
 * then by short ones, then by streets.
 */
export function findAddresses(page: LayoutPage): AddressBlock[] {
  const taken = new Set<Segment>();
  const out: AddressBlock[] = [];
  for (const line of page.lines) {
    const block = readAddressInLine(line);
    if (!block) continue;
    for (const segment of line.segments) taken.add(segment);
    out.push(block);
  }
  const segments = page.lines.flatMap((line) => line.segments);
  const readers = [
    (segment: Segment) => readAddressAroundPlace(segment, false),
    (segment: Segment) => readAddressAroundPlace(segment, true),
    readAddressAroundStreet,
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

/** Reads an address whose parts are on one line, as in "Acme GmbH • Main Street 1 • 12345 Town". */
function readAddressInLine(line: Line): AddressBlock | undefined {
  if (!line.segments.some(({ text }) => SEPARATOR.test(text) || /^[•|·●]$/.test(text))) return undefined;
  const pieces = line.segments.flatMap((segment) =>
    segment.text
      .split(SEPARATOR)
      .filter((text) => /[\p{L}\p{N}]/u.test(text))
      .map((text) => sliceSegment(segment, segment.text.indexOf(text), text.length)),
  );
  const at = pieces.findIndex(({ text }) => findPlace(text));
  const [name, ...rest] = pieces.slice(0, at + 1);
  if (!name || rest.length === 0 || scoreStreet(name.text) > 0 || /[:@]/.test(name.text)) return undefined;
  return { lines: rest, above: [name], certainty: 1, isInLine: true };
}

function readAddressAroundPlace(segment: Segment, short: boolean): AddressBlock | undefined {
  const place = findPlace(segment.text);
  const alone = !place && !short && CODE_ALONE.test(segment.text);
  if (place ? place.short !== short : !alone) return undefined;
  const lines = [segment];
  if (alone) {
    const town = findSegmentAbove(segment);
    if (!town || !isBare(town.text)) return undefined;
    lines.unshift(town);
  }
  const before = place ? segment.text.slice(0, place.start).replace(/(?<![\s,;•|·–-])[\s,;•|·–-]+$/, '') : '';
  const whole = scoreStreet(before.split(/[,;•|·]/).at(-1)!) > 0 || before.includes(',');
  let street = whole ? scoreStreet(before) : 0;
  for (let rows = 0; !whole && rows < 3; rows++) {
    const next = findSegmentAbove(lines[0]!);
    if (!next || findPlace(next.text)?.short === false) break;
    const surer = scoreStreet(next.text) > street;
    if (!surer && !(isFurtherLine(next.text) && (street === 0 || next.text.includes(',')))) break;
    lines.unshift(next);
    street = Math.max(street, scoreStreet(next.text));
  }
  if (street === 0 && !whole) for (const line of listOpeningLines(lines[0]!).reverse()) lines.unshift(line);
  for (const line of listLinesThatGoOn(lines[0]!)) lines.unshift(line);
  const town = place && place.end === segment.text.trimEnd().length ? findSegmentBelow(segment) : undefined;
  if (town && /, ?\d{5,6}$/.test(segment.text) && isBare(town.text.replace(/\.$/, ''))) lines.push(town);
  const next =
    street === 0 && !whole && lines.length === 1 ? segment.page.lines[segment.line + 1] : undefined;
  const below = next?.segments.find((other) => scoreStreet(other.text) === 1);
  if (below) {
    lines.push(below);
    street = 1;
  }
  if (short && street === 0 && !whole && lines.length === 1) return undefined;
  return {
    lines,
    above: listLinesAbove(lines[0]!),
    certainty: street > 0 || whole || lines.length > 1 ? 1 : 0.6,
  };
}

/** Maximum number of lines between the beginning of an address and its town. */
const MAX_OPENING = 4;
/** Matches a line with which an address may begin: it has a number of a house or plot, or goes on. */
const OPENS = /\d|,$/;
/** Matches a line that is no part of an address: a number in brackets, a label or a telephone number. */
const CLOSES = /^\(|[:@*=]|\d{6}|\d[.,]\d{2}(?!\d)/;

/** Matches a line that begins with the number of a house, plot or unit. */
const NUMBERED = /^(?:n[or]|lot|unit|suite|block|blk|plot)[.:]{0,2} ?\p{L}{0,2}\d/iu;
/** Maximum number of lines above an address that may belong to it. */
const MAX_CONTINUED = 3;

/**
 * Returns the lines above an address that belong to it, nearest first. Such a line ends with a comma, or it begins
 * with the number of a house.
 */
function listLinesThatGoOn(first: Segment): Segment[] {
  const out: Segment[] = [];
  for (
    let next = findSegmentAbove(first);
    next && out.length < MAX_CONTINUED;
    next = findSegmentAbove(next)
  ) {
    const belongs = /,\s?$/.test(next.text) || NUMBERED.test(next.text);
    if (!belongs || CLOSES.test(next.text.replace(/^\p{L}+\s?:/u, '')) || next.text.length > MAX_LENGTH)
      break;
    if (NUMBERED.test(out.at(-1)?.text ?? first.text) || findPlace(next.text)?.short === false) break;
    out.push(next);
  }
  return out;
}

/**
 * Returns the lines above a town that belong to its address although no word shows a street: those from the
 * first line with a number or a comma at its end. The name of a company ends the search.
 */
function listOpeningLines(town: Segment): Segment[] {
  const above: Segment[] = [];
  for (let next = findSegmentAbove(town); next && above.length < MAX_OPENING; next = findSegmentAbove(next)) {
    if (CLOSES.test(next.text) || hasLegalForm(next.text) || next.text.length > MAX_LENGTH) break;
    above.unshift(next);
  }
  const street = above.findLastIndex(({ text }) => scoreStreet(text) >= 0.7);
  const first = street >= 0 ? street : above.findIndex(({ text }) => OPENS.test(text));
  return first < 0 ? [] : above.slice(first);
}

const isBare = (text: string) => /^\p{Lu}[\p{L}.,' -]{2,40}$/u.test(text);

/** Reads an address from a street without a postal code, as on receipts and letterheads. */
function readAddressAroundStreet(segment: Segment): AddressBlock | undefined {
  const [first, ...rest] = segment.text.split(/,\s*/);
  const further = TOWN_WITH_REGION.test(segment.text) ? findSegmentAbove(segment) : undefined;
  if (further && isFurtherLine(further.text))
    return { lines: [further, segment], above: listLinesAbove(further), certainty: 0.6 };
  const sure = scoreStreet(first!);
  if (sure < 0.7 || rest.length > 4) return undefined;
  const lines = [segment];
  const above = findSegmentAbove(segment);
  if (
    above &&
    isFurtherLine(above.text) &&
    scoreStreet(above.text) === 0 &&
    /,|\p{L} \p{Lu}?\d/u.test(above.text)
  )
    lines.unshift(above);
  const below = findSegmentBelow(segment);
  if (below && (TOWN_ALONE.test(below.text) || (isFurtherLine(below.text) && findPlace(below.text))))
    lines.push(below);
  return {
    lines,
    above: listLinesAbove(lines[0]!),
    certainty: (lines.length > 1 || rest.length > 0 ? 0.7 : 0.5) * sure,
  };
}

/** Returns the lines directly above a block, nearest last. */
function listLinesAbove(segment: Segment): Segment[] {
  const out: Segment[] = [];
  let top = segment;
  for (let rows = 0; rows < 4; rows++) {
    const next = findSegmentAbove(top);
    if (!next) break;
    if (readAddressInLine(next.page.lines[next.line]!)) break;
    out.unshift(next);
    top = next;
    if (/:\s*$/.test(next.text)) break;
  }
  return out;
}
