import { type LayoutPage, type Line, type Segment, sliceSegment } from '../layout.ts';
import {
  CODE_ALONE,
  findPlace,
  MAX_LENGTH,
  scoreStreet,
  TOWN_ALONE,
  TOWN_WITH_REGION,
} from './address-shape.ts';
import { hasLegalForm } from './legal-forms.ts';
import { findSegmentAbove, findSegmentBelow } from './neighbours.ts';

/** Consecutive lines of one address, and the lines above them that may name the party. */
export interface AddressBlock {
  lines: Segment[];
  above: Segment[];
  /** Certainty that the lines are an address, from 0 to 1. A postal code is better evidence than a street. */
  certainty: number;
  /** True if name and address are on one line, as in the sender's line of a window envelope. */
  isInLine?: boolean;
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
