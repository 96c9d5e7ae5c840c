import { checkTableSize, dropEmpty } from '#src/formats/shared/flow/grid.ts';
import type { Rendered } from '#src/formats/shared/flow/runs.ts';
import { createDataView, findRecord, iterateRecords, type PptRecord, TYPES } from './records.ts';
import { readTexts, type SlideText } from './texts.ts';

/** A text of a slide, or a table whose cells are given row by row. */
export type SlidePart = { text: SlideText } | { table: Rendered[][] };

const MAX_DEPTH = 40;
const PROPERTY_BYTES = 6;
const PROPERTY_ID = 0x3fff;
const TABLE_PROPERTIES = 0x039f;
const IS_TABLE = 1;
/** Edges of cells that are at most this far apart are the same edge, in master units. */
const EDGE_TOLERANCE = 4;

type Outline = (SlideText | undefined)[];

interface Cell {
  left: number;
  top: number;
  text: string;
}

/** Yields the texts and tables of a drawing at any nesting depth up to `MAX_DEPTH`. */
export function* iterateParts(drawing: Uint8Array, outline: Outline, depth = 0): Generator<SlidePart> {
  for (const record of iterateRecords(drawing)) {
    if (record.type === TYPES.clientText) {
      for (const text of readTexts(iterateRecords(record.data), outline)) yield { text };
    } else if (record.type === TYPES.shapeGroup && isTable(record)) {
      yield { table: readTable(record, outline) };
    } else if (record.isContainer && depth < MAX_DEPTH) yield* iterateParts(record.data, outline, depth + 1);
  }
}

/** Tells whether a group of shapes is a table. The first shape of a group describes the group itself. */
function isTable(group: PptRecord): boolean {
  const shape = findRecord(group.data, TYPES.shape);
  if (!shape) return false;
  for (const options of iterateRecords(shape.data)) {
    if (options.type !== TYPES.moreShapeOptions && options.type !== TYPES.shapeOptions) continue;
    const view = createDataView(options.data);
    const count = Math.min(options.instance, Math.floor(options.data.length / PROPERTY_BYTES));
    for (let at = 0; at < count * PROPERTY_BYTES; at += PROPERTY_BYTES) {
      if ((view.getUint16(at, true) & PROPERTY_ID) !== TABLE_PROPERTIES) continue;
      if ((view.getUint32(at + 2, true) & IS_TABLE) !== 0) return true;
    }
  }
  return false;
}

/** Rebuilds the grid of a table from the positions of its cells. The borders of cells are shapes too. */
function readTable(group: PptRecord, outline: Outline): Rendered[][] {
  const cells = [...iterateRecords(group.data)].flatMap((shape) => readCell(shape, outline));
  const columns = indexEdges(cells.map(({ left }) => left));
  const rows = indexEdges(cells.map(({ top }) => top));
  checkTableSize(new Set(rows.values()).size, new Set(columns.values()).size);
  const grid: Rendered[][] = [];
  for (const { left, top, text } of cells) {
    const at = rows.get(top)!;
    grid[at] ??= [];
    const row = grid[at];
    const column = columns.get(left)!;
    const before = row[column];
    const joined = before ? `${before.text}\n${text}` : text;
    row[column] = { text: joined, markdown: joined };
  }
  return dropEmpty(Array.from(grid, (row) => row ?? []));
}

function readCell(shape: PptRecord, outline: Outline): Cell[] {
  if (shape.type !== TYPES.shape) return [];
  const anchor = findRecord(shape.data, TYPES.childAnchor)?.data;
  const box = findRecord(shape.data, TYPES.clientText);
  if (!anchor || anchor.length < 16 || !box) return [];
  const view = createDataView(anchor);
  const paragraphs = readTexts(iterateRecords(box.data), outline).flatMap((text) => text.paragraphs);
  const text = paragraphs.join('\n').trim();
  return text === '' ? [] : [{ left: view.getInt32(0, true), top: view.getInt32(4, true), text }];
}

/** Numbers the edges from the smallest to the largest. Edges that almost coincide have one number. */
function indexEdges(edges: readonly number[]): Map<number, number> {
  const indexes = new Map<number, number>();
  let index = -1;
  let last = Number.NEGATIVE_INFINITY;
  for (const edge of [...new Set(edges)].sort((a, b) => a - b)) {
    if (edge - last > EDGE_TOLERANCE) index++;
    indexes.set(edge, index);
    last = edge;
  }
  return indexes;
}
