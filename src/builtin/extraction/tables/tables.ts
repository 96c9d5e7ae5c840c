import { type Candidate, type Context, spanOf } from '../candidates.ts';
import type { Field } from '../fields.ts';
import type { LayoutPage, Line, Segment } from '../layout.ts';
import { type Locale, readValues } from '../read.ts';
import type { Wanted } from '../shape.ts';
import { AMOUNT_LABELS } from '../vocabulary/amounts.ts';
import { type Column, type Header, headerAt } from './table-header.ts';

/** One row of a table: what each field that its columns hold reads there, one candidate unless it has many. */
export type Row = Map<Field, Candidate[]>;

const TOTAL_LABELS = new Set(
  Object.values(AMOUNT_LABELS).flatMap(({ strong, weak }) => [...strong, ...weak]),
);

/** The rows of every table whose header names at least two of the fields (one, when there is only one). */
export function readTables(wanted: Wanted, context: Context): Row[] {
  const { fields } = wanted;
  const rows: Row[] = [];
  for (const page of context.pages) {
    let index = 0;
    while (index < page.lines.length) {
      const header = headerAt(page, index, fields);
      if (!header) {
        index++;
        continue;
      }
      const table = rowsBelow(page, header, wanted, context.locale);
      for (const each of table.rows) rows.push(each);
      index = Math.max(table.next, index + 1);
    }
  }
  return full(rows, wanted);
}

/** Where rows have a text, a line of numbers alone is a sum or part of another table. */
function full(rows: Row[], { shared }: Wanted): Row[] {
  const isName = (field: Field) => field.kind === 'text' && !shared.has(field);
  const named = rows.filter((row) => [...row.keys()].some(isName));
  return named.length > 0 ? named : rows;
}

function columnOf(segment: Segment, columns: Column[]): Column | undefined {
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

function rowsBelow(
  page: LayoutPage,
  header: Header,
  wanted: Wanted,
  locale: Locale,
): { rows: Row[]; next: number } {
  const known = header.columns.filter((column) => column.field);
  const own = ownColumns(known, wanted);
  // A row that goes on with the item above may have one cell, others are more than a number.
  const least = own.length < known.length ? Math.min(2, own.length) : 2;
  const anchor = anchorOf(own);
  const outer = known.filter((column) => !own.includes(column));
  const outerAnchor = anchorOf(outer);
  const open: OpenRow[] = [];
  let index = header.next;
  let quiet = 0;
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
      const column = columnOf(segment, header.columns);
      if (column) cells.set(column, [...(cells.get(column) ?? []), segment]);
    }
    const starts = anchor ? cells.size >= least && startsRow(cells, anchor, locale) : cells.has(own[0]!);
    // An item may have nothing inside it.
    const startsOuter = outerAnchor && cells.size >= 2 && startsRow(cells, outerAnchor, locale);
    if ((starts && hasText(cells, open[0], own)) || (startsOuter && hasText(cells, open[0], outer))) {
      open.push({ cells, line: index });
      quiet = 0;
    } else {
      quiet++;
      const last = open.at(-1);
      // The text of a row may go on for a few lines; a long pause ends the table.
      if (quiet > 14) break;
      if (last && gap < line.h * 1.2 && index - last.line <= 8) extend(last, cells);
    }
  }
  const rows = open.map((row) => readRow(row, wanted, locale));
  const filled = (row: Row) => own.filter(({ field }) => row.has(field!)).length;
  const isRow = (row: Row) =>
    row.size > 0 && (filled(row) >= own.length / 2 || (outerAnchor && row.has(outerAnchor.field!)));
  return { rows: rows.filter(isRow), next: index };
}

/** The columns that every row fills: those of the innermost items, where items hold others. */
function ownColumns(known: Column[], { shared }: Wanted): Column[] {
  const inner = known.filter((column) => !shared.has(column.field!));
  return inner.length > 0 ? inner : known;
}

/** The column whose numbers mark where rows begin: an amount when there is one. */
function anchorOf(columns: Column[]): Column | undefined {
  for (const kinds of [['money'], ['number', 'percent'], ['date', 'identifier']]) {
    const found = columns.filter((column) => kinds.includes(column.field!.kind));
    if (found.length > 0) return found.at(-1);
  }
  return undefined;
}

function startsRow(cells: Map<Column, Segment[]>, anchor: Column, locale: Locale): boolean {
  const value = cells.get(anchor);
  const isNote = [...cells.values()].some(([first]) => first && /^[*•–-]\s/.test(first.text));
  return value !== undefined && !isNote && readValues(anchor.field!, textOf(value), locale).length > 0;
}

/** A line of numbers without the text that the first row has belongs to no row of its own. */
function hasText(cells: Map<Column, Segment[]>, first: OpenRow | undefined, own: Column[]): boolean {
  if (!first) return true;
  const texts = [...first.cells.keys()].filter(
    (column) => column.field?.kind === 'text' && own.includes(column),
  );
  return texts.length === 0 || texts.some((column) => cells.has(column));
}

/** A line that sums up the ones above. */
export function isTotal(line: Line): boolean {
  return line.segments.some((segment) => {
    const label = labelOf(segment);
    // One word can head a column or name an article; two or more are a sum wherever they stand.
    return TOTAL_LABELS.has(label) && (line.segments.length <= 4 || label.includes(' '));
  });
}

function labelOf(segment: Segment): string {
  return segment.tokens
    .map((token) => token.word)
    .filter((word) => !/\d|^(?:eur|usd|gbp|pln|chf)$/.test(word))
    .join(' ');
}

/** "Payment terms:" alone at the table's left edge begins what comes after it. */
function isSectionHeading(line: Line, header: Header): boolean {
  const [first] = line.segments;
  if (!first || line.segments.length > 1 || !/\p{L}:\s*$/u.test(first.text)) return false;
  return first.box.x < header.columns[0]!.box.x + 30;
}

function extend(row: OpenRow, cells: Map<Column, Segment[]>): void {
  for (const [column, segments] of cells) {
    if (column.field?.kind !== 'text') continue;
    row.cells.set(column, [...(row.cells.get(column) ?? []), ...segments]);
  }
}

function textOf(segments: Segment[]): string {
  return segments.map((segment) => segment.text).join(' ');
}

function readRow(row: OpenRow, { many }: Wanted, locale: Locale): Row {
  const out: Row = new Map();
  for (const [column, segments] of row.cells) {
    const { field } = column;
    if (!field) continue;
    const score = 0.55 + 0.4 * column.score;
    const label = column.texts.join(' ');
    if (many.has(field)) {
      const listed = segments.flatMap((segment) => listedIn(field, segment, locale));
      if (listed.length > 0)
        out.set(
          field,
          listed.map((found) => ({ ...found, score, label, features: { table: column.score } })),
        );
      continue;
    }
    if (field.kind === 'text') {
      const spans = segments.map((segment) => spanOf(segment, 0, segment.text.length));
      const text = textOf(segments).replace(/(?<=[\p{L}\d])- (?=\p{L})/gu, '-');
      const value = /name|title/.test(field.name) ? beforeColon(text) : text;
      if (/[\p{L}\p{N}]/u.test(value))
        out.set(field, [{ value, score, spans, label, features: { table: column.score } }]);
      continue;
    }
    const first = segments[0]!;
    const found = readValues(field, first.text, locale);
    const best = field.kind === 'money' ? found.at(-1) : found[0];
    if (best) {
      const spans = [spanOf(first, best.start, best.end)];
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

/** The values of a cell that holds several. */
function listedIn(field: Field, segment: Segment, locale: Locale): Pick<Candidate, 'value' | 'spans'>[] {
  const values = field.kind === 'text' ? partsOf(segment.text) : readValues(field, segment.text, locale);
  return values.map(({ value, start, end }) => ({ value, spans: [spanOf(segment, start, end)] }));
}

/** What commas, semicolons, bars and bullets part. */
function partsOf(text: string): { value: string; start: number; end: number }[] {
  const parts = [...text.matchAll(/[^\s,;|•·](?:[^,;|•·]*[^\s,;|•·])?/gu)];
  return parts.map(({ 0: value, index }) => ({ value, start: index, end: index + value.length }));
}

function beforeColon(text: string): string {
  const at = text.search(/\s?:(?:\s|$)/);
  return at > 2 ? text.slice(0, at) : text;
}
