import { isRecord } from '#src/json-schema/schema.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';
import { computeConfidence, type EvidenceMap, type FieldEvidence, toPointer } from './evidence.ts';

const contradictsRow = (row: unknown[], item: unknown) =>
  row.some((other) => haveEqualScalars(other, item) === false);

const isSingle = (value: unknown) => value !== undefined && value !== null && typeof value !== 'object';

const normalizeScalar = (value: unknown) => String(value).toLowerCase().replace(/\s+/g, '');

export interface Piece {
  value: unknown;
  evidence: EvidenceMap;
}

/**
 * Merges answers about consecutive pieces of a document. The scalar with the highest confidence wins, and the
 * earlier one on a tie. Lists are concatenated without duplicates, except for items with numbers, which count
 * as separate lines. Objects are merged property by property, and evidence moves along.
 */
export function mergePieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, mergeLists);
}

/**
 * Merges pieces that do not overlap. Unlike `mergePieces`, this function keeps all items of lists of objects.
 */
export function appendPieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, appendLists);
}

/**
 * Merges answers about parts of one schema: objects property by property, and lists item by item. Items match
 * if their common scalars are equal. Other items match by position.
 */
export function joinParts(pieces: Piece[]): Merged {
  return mergeWith(pieces, joinLists);
}

interface Merged {
  value: Record<string, unknown>;
  evidence: EvidenceMap;
}

function mergeWith(pieces: Piece[], lists: ListMerge): Merged {
  const evidence = new Map<string, FieldEvidence>();
  const merged = merge(
    pieces.map(({ value, evidence: from }) => ({ value, at: [], from })),
    [],
    { evidence, lists },
  );
  return { value: isRecord(merged) ? merged : {}, evidence };
}

interface Part {
  value: unknown;
  at: (string | number)[];
  from: EvidenceMap;
}

type Path = (string | number)[];

interface Into {
  evidence: Map<string, FieldEvidence>;
  lists: ListMerge;
}

type ListMerge = (parts: Part[], to: Path, target: Into) => unknown[];

function merge(parts: Part[], to: Path, target: Into): unknown {
  const given = parts.filter(({ value }) => value !== null && value !== undefined);
  const first = given[0];
  if (!first) return null;
  if (isRecord(first.value))
    return mergeObjects(
      given.filter(({ value }) => isRecord(value)),
      to,
      target,
    );
  if (Array.isArray(first.value)) {
    return target.lists(
      given.filter(({ value }) => Array.isArray(value)),
      to,
      target,
    );
  }
  const support = ({ at, from }: Part) => {
    const found = from.get(toPointer(at));
    return found ? computeConfidence(found) : 0;
  };
  const best = given.reduce((left, right) => (support(right) > support(left) ? right : left));
  copyEvidence(best, to, target.evidence);
  return best.value;
}

function mergeObjects(parts: Part[], to: Path, target: Into) {
  const names = new Set(parts.flatMap(({ value }) => Object.keys(value as object)));
  const members = [...names].map((name) => {
    const inner = parts.map(({ value, at, from }) => ({
      value: (value as Record<string, unknown>)[name],
      at: [...at, name],
      from,
    }));
    return [name, merge(inner, [...to, name], target)];
  });
  return Object.fromEntries(members);
}

// Chunks do not overlap, so equal lines with numbers are separate lines. Other things may be mentioned in
// several chunks.
const mergeLists: ListMerge = (parts, to, target) =>
  concatenateItems(parts, to, target, (item) => !isRecord(item) || !Object.values(item).some(isNumber));
const appendLists: ListMerge = (parts, to, target) =>
  concatenateItems(parts, to, target, (item) => !isRecord(item));

const isNumber = (value: unknown) => typeof value === 'number';

/**
 * Concatenates lists. An item that equals an item of an earlier list is skipped if `isDeduplicated` returns
 * true.
 */
function concatenateItems(
  parts: Part[],
  to: Path,
  { evidence }: Into,
  isDeduplicated: (item: unknown) => boolean,
): unknown[] {
  const out: unknown[] = [];
  const seen = new Set<string>();
  for (const { value, at, from } of parts) {
    const own = new Set<string>();
    for (const [index, item] of (value as unknown[]).entries()) {
      const text = canonicalJson(item);
      // Equal items within one chunk are always kept.
      if (seen.has(text) && isDeduplicated(item)) continue;
      own.add(text);
      copyEvidence({ value: item, at: [...at, index], from }, [...to, out.length], evidence);
      out.push(item);
    }
    for (const text of own) seen.add(text);
  }
  return out;
}

function joinLists(parts: Part[], to: Path, target: Into): unknown[] {
  const rows: Part[][] = [];
  for (const { value, at, from } of parts) {
    const items = (value as unknown[]).map((item, index) => ({ value: item, at: [...at, index], from }));
    const places = alignItems(
      rows.map((row) => row.map((part) => part.value)),
      items.map((item) => item.value),
    );
    for (const [index, item] of items.entries()) {
      const place = places[index]!;
      rows[place] = [...(rows[place] ?? []), item];
    }
  }
  return rows.map((row, index) => merge(row, [...to, index], target));
}

function copyEvidence({ value, at, from }: Part, to: Path, evidence: Map<string, FieldEvidence>): void {
  const found = from.get(toPointer(at));
  if (found) evidence.set(toPointer(to), found);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    copyEvidence({ value: inner, at: [...at, key], from }, [...to, key], evidence);
  }
}

/**
 * Assigns the items of a list to the rows that other parts of the schema have filled. Returns the row index
 * for each item; an index past the end means a new row. An item belongs to the next row whose common scalars
 * are equal. Otherwise the position decides, unless the values contradict that row and the numbers of items
 * differ.
 */
function alignItems(rows: unknown[][], items: unknown[]): number[] {
  const places = new Map<number, number>();
  const taken = new Set<number>();
  let next = 0;
  for (const [index, item] of items.entries()) {
    const row = findRow(rows, item, taken, next);
    if (row === undefined) continue;
    places.set(index, row);
    taken.add(row);
    next = row + 1;
  }
  let end = rows.length;
  return items.map((item, index) => {
    const known = places.get(index);
    if (known !== undefined) return known;
    const row = rows[index];
    const fits = row && !taken.has(index) && (rows.length === items.length || !contradictsRow(row, item));
    return fits ? index : end++;
  });
}

/** Searches from `next` on and then from the start, because models mostly keep the order of items. */
function findRow(
  rows: unknown[][],
  item: unknown,
  taken: ReadonlySet<number>,
  next: number,
): number | undefined {
  for (let step = 0; step < rows.length; step += 1) {
    const row = (next + step) % rows.length;
    if (!taken.has(row) && rows[row]!.some((other) => haveEqualScalars(other, item) === true)) return row;
  }
  return undefined;
}

/**
 * Returns whether all common scalars of two items are equal. Returns `undefined` if the items have no scalars
 * in common.
 */
function haveEqualScalars(left: unknown, right: unknown): boolean | undefined {
  if (!isRecord(left) || !isRecord(right)) return canonicalJson(left) === canonicalJson(right);
  const common = Object.keys(left).filter((name) => isSingle(left[name]) && isSingle(right[name]));
  return common.length > 0
    ? common.every((name) => normalizeScalar(left[name]) === normalizeScalar(right[name]))
    : undefined;
}
