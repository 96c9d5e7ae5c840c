import { type Candidate, type Context, toSpan } from '../candidates.ts';
import type { Field } from '../fields.ts';
import type { LayoutPage, Line, Segment } from '../layout.ts';
import { type Locale, readValues } from '../read.ts';
import type { TableFields } from '../shape.ts';
import { AMOUNT_LABELS } from '../vocabulary/amounts.ts';
import { type Column, findHeader, type Header } from './table-header.ts';

/**
 * Row of a table: candidate values for each schema field that has a column. Only fields with list cells have
 * several candidates.
 */
export type Row = Map<Field, Candidate[]>;

const TOTAL_LABELS = new Set(
  Object.values(AMOUNT_LABELS).flatMap(({ strong, weak }) => [...strong, ...weak]),
);

/**
 * Returns the rows of every table whose header names at least two schema fields. For a single field, one
 * matching heading is enough.
 */
export function readTables(wanted: TableFields, context: Context): Row[] {
  const { fields } = wanted;
  const rows: Row[] = [];
  for (const page of context.pages) {
    let index = 0;
    while (index < page.lines.length) {
      const header = findHeader(page, index, fields);
      if (!header) {
        index++;
        continue;
      }
      const table = readRowsBelow(page, header, wanted, context.locale);
      for (const each of table.rows) rows.push(each);
      index = Math.max(table.next, index + 1);
    }
  }
  return removeTextlessRows(rows, wanted);
}

/**
 * Removes rows without text if other rows have text, because a line of numbers alone is a sum or part of
 * another table.
 */
function removeTextlessRows(rows: Row[], { shared }: TableFields): Row[] {
  const isName = (field: Field) => field.kind === 'text' && !shared.has(field);
  const named = rows.filter((row) => [...row.keys()].some(isName));
  return named.length > 0 ? named : rows;
}

function findColumn(segment: Segment, columns: Column[]): Column | undefined {
  let best: { column: Column; distance: number } | undefined;
  for (const column of columns) {
    const [left, right] = [segment.box.x, segment.box.x + segment.box.w];
    const [from, to] = [column.box.x, column.box.x + column.box.w];
    const apart = Math.max(0, Math.max(left, from) - Math.min(right, to));
    const edges = Math.min(
      Math.abs(left - from),
      Math.abs(right - to),
      Math.abs((left + right - from - to) / 2),
    );
    const distance = (apart > 0 ? apart + 20 : 0) + edges * 0.2;
    if (!best || distance < best.distance) best = { column, distance };
  }
  return best && best.distance < 90 ? best.column : undefined;
}

interface OpenRow {
  cells: Map<Column, Segment[]>;
  line: number;
}

function readRowsBelow(
  page: LayoutPage,
  header: Header,
  wanted: TableFields,
  locale: Locale,
): { rows: Row[]; next: number } {
  const known = header.columns.filter((column) => column.field);
  const own = listRowColumns(known, wanted);
  // A row needs at least two cells. A row that continues the outer object of the row above may have only one.
  const minCells = own.length < known.length ? Math.min(2, own.length) : 2;
  const anchor = findAnchor(own);
  const outer = known.filter((column) => !own.includes(column));
  const outerAnchor = findAnchor(outer);
  const open: OpenRow[] = [];
  let index = header.next;
  let linesWithoutRow = 0;
  for (; index < page.lines.length; index++) {
    const line = page.lines[index]!;
    const previous = page.lines[index - 1];
    const gap = previous ? line.y - (previous.y + previous.h) : 0;
    if (
      (open.length > 0 && isTotal(line)) ||
      isSectionHeading(line, header) ||
      (open.length > 0 && gap > line.h * 6)
    )
      break;
    const cells = new Map<Column, Segment[]>();
    for (const segment of line.segments) {
      const column = findColumn(segment, header.columns);
      if (column) cells.set(column, [...(cells.get(column) ?? []), segment]);
    }
    const starts = anchor ? cells.size >= minCells && startsRow(cells, anchor, locale) : cells.has(own[0]!);
    // A row may begin a new outer object even if it has no cells of inner objects.
    const startsOuter = outerAnchor && cells.size >= 2 && startsRow(cells, outerAnchor, locale);
    if ((starts && hasText(cells, open[0], own)) || (startsOuter && hasText(cells, open[0], outer))) {
      open.push({ cells, line: index });
      linesWithoutRow = 0;
    } else {
      linesWithoutRow++;
      const last = open.at(-1);
      // The text of a row may continue on the next few lines. More lines without a new row end the table.
      if (linesWithoutRow > 14) break;
      if (last && gap < line.h * 1.2 && index - last.line <= 8) appendText(last, cells);
    }
  }
  const rows = open.map((row) => readRow(row, wanted, locale));
  const filled = (row: Row) => own.filter(({ field }) => row.has(field!)).length;
  const isRow = (row: Row) =>
    row.size > 0 && (filled(row) >= own.length / 2 || (outerAnchor && row.has(outerAnchor.field!)));
  return { rows: rows.filter(isRow), next: index };
}

/**
 * Returns the columns that every row must fill. In nested lists, these are the columns of the innermost
 * objects.
 */
function listRowColumns(known: Column[], { shared }: TableFields): Column[] {
  const inner = known.filter((column) => !shared.has(column.field!));
  return inner.length > 0 ? inner : known;
}

/**
 * Returns the column whose values show where a new row begins. Amounts are preferred, then numbers, then
 * dates and identifiers.
 */
function findAnchor(columns: Column[]): Column | undefined {
  for (const kinds of [['money'], ['number', 'percent'], ['date', 'identifier']]) {
    const found = columns.filter((column) => kinds.includes(column.field!.kind));
    if (found.length > 0) return found.at(-1);
  }
  return undefined;
}

function startsRow(cells: Map<Column, Segment[]>, anchor: Column, locale: Locale): boolean {
  const value = cells.get(anchor);
  const isNote = [...cells.values()].some(([first]) => first && /^[*•–-]\s/.test(first.text));
  return value !== undefined && !isNote && readValues(anchor.field!, joinTexts(value), locale).length > 0;
}

/**
 * Returns whether a row fills one of the text columns that the first row fills. A line with numbers alone
 * does not start a row.
 */
function hasText(cells: Map<Column, Segment[]>, first: OpenRow | undefined, own: Column[]): boolean {
  if (!first) return true;
  const texts = [...first.cells.keys()].filter(
    (column) => column.field?.kind === 'text' && own.includes(column),
  );
  return texts.length === 0 || texts.some((column) => cells.has(column));
}

/** Returns whether a line is a total of the table lines above. */
export function isTotal(line: Line): boolean {
  return line.segments.some((segment) => {
    const label = toLabel(segment);
    // A single word such as "Total" may be a column heading or an article's name, so only short lines count.
    // Longer labels always mark a total.
    return TOTAL_LABELS.has(label) && (line.segments.length <= 4 || label.includes(' '));
  });
}

function toLabel(segment: Segment): string {
  return segment.tokens
    .map((token) => token.word)
    .filter((word) => !/\d|^(?:eur|usd|gbp|pln|chf)$/.test(word))
    .join(' ');
}

/**
 * Returns whether a line is a heading such as "Payment terms:" at the table's left edge. Such a heading ends
 * the table.
 */
function isSectionHeading(line: Line, header: Header): boolean {
  const [first] = line.segments;
  if (!first || line.segments.length > 1 || !/\p{L}:\s*$/u.test(first.text)) return false;
  return first.box.x < header.columns[0]!.box.x + 30;
}

function appendText(row: OpenRow, cells: Map<Column, Segment[]>): void {
  for (const [column, segments] of cells) {
    if (column.field?.kind !== 'text') continue;
    row.cells.set(column, [...(row.cells.get(column) ?? []), ...segments]);
  }
}

function joinTexts(segments: Segment[]): string {
  return segments.map((segment) => segment.text).join(' ');
}

function readRow(row: OpenRow, { multiValued }: TableFields, locale: Locale): Row {
  const out: Row = new Map();
  for (const [column, segments] of row.cells) {
    const { field } = column;
    if (!field) continue;
    const score = 0.55 + 0.4 * column.score;
    const label = column.texts.join(' ');
    if (multiValued.has(field)) {
      const listed = segments.flatMap((segment) => readListCell(field, segment, locale));
      if (listed.length > 0)
        out.set(
          field,
          listed.map((found) => ({ ...found, score, label, features: { table: column.score } })),
        );
      continue;
    }
    if (field.kind === 'text') {
      const spans = segments.map((segment) => toSpan(segment, 0, segment.text.length));
      const text = joinTexts(segments).replace(/(?<=[\p{L}\d])- (?=\p{L})/gu, '-');
      const value = /name|title/.test(field.name) ? takeBeforeColon(text) : text;
      if (/[\p{L}\p{N}]/u.test(value))
        out.set(field, [{ value, score, spans, label, features: { table: column.score } }]);
      continue;
    }
    const first = segments[0]!;
    const found = readValues(field, first.text, locale);
    const best = field.kind === 'money' ? found.at(-1) : found[0];
    if (best) {
      const spans = [toSpan(first, best.start, best.end)];
      out.set(field, [
        {
          value: best.value,
          score: score * (0.6 + 0.4 * best.quality),
          spans,
          label,
          features: { table: column.score, type: best.quality },
        },
      ]);
    }
  }
  return out;
}

/** Returns the values of a cell that contains a list. */
function readListCell(field: Field, segment: Segment, locale: Locale): Pick<Candidate, 'value' | 'spans'>[] {
  const values = field.kind === 'text' ? splitList(segment.text) : readValues(field, segment.text, locale);
  return values.map(({ value, start, end }) => ({ value, spans: [toSpan(segment, start, end)] }));
}

/** Splits a text at commas, semicolons, vertical bars and bullets. */
function splitList(text: string): { value: string; start: number; end: number }[] {
  const parts = [...text.matchAll(/[^\s,;|•·](?:[^,;|•·]*[^\s,;|•·])?/gu)];
  return parts.map(({ 0: value, index }) => ({ value, start: index, end: index + value.length }));
}

function takeBeforeColon(text: string): string {
  const at = text.search(/\s?:(?:\s|$)/);
  return at > 2 ? text.slice(0, at) : text;
}
