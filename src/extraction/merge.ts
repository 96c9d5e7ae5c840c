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
 * Merges values extracted from consecutive parts of a document. The scalar with the highest confidence wins,
 * or the first one on a tie. Lists are concatenated without duplicates, but equal items that contain numbers
 * are kept. Objects are merged by property.
 */
export function mergePieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, mergeLists);
}

/**
 * Merges values extracted from separate parts of a document. Unlike `mergePieces`, this function keeps all
 * objects of lists.
 */
export function appendPieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, appendLists);
}

/**
 * Merges values extracted for different parts of one schema. Objects are merged by property and lists item by
 * item. Items belong together if their common scalars are equal, otherwise by position.
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

// Equal items with numbers are probably separate lines of a table, so both are kept. Other equal items are
// mentions of the same thing.
const mergeLists: ListMerge = (parts, to, target) =>
  concatenateItems(parts, to, target, (item) => !isRecord(item) || !Object.values(item).some(isNumber));
const appendLists: ListMerge = (parts, to, target) =>
  concatenateItems(parts, to, target, (item) => !isRecord(item));

const isNumber = (value: unknown) => typeof value === 'number';

/**
 * Concatenates lists. If an item equals one in an earlier list and `isDeduplicated` returns true, the item is
 * left out.
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
      // Equal items of the same list are always kept.
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
 * Assigns list items to rows that other parts of the schema already filled. Returns a row index for each
 * item. An index past the end stands for a new row. Items match the next row with equal common scalars.
 * Otherwise position decides, unless values contradict the row and the numbers of items differ.
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

/** Searches from row `next` on first, because models usually keep the order of items. */
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
 * Returns whether the scalars that two items have in common are equal. Returns `undefined` if they have none
 * in common.
 */
function haveEqualScalars(left: unknown, right: unknown): boolean | undefined {
  if (!isRecord(left) || !isRecord(right)) return canonicalJson(left) === canonicalJson(right);
  const common = Object.keys(left).filter((name) => isSingle(left[name]) && isSingle(right[name]));
  return common.length > 0
    ? common.every((name) => normalizeScalar(left[name]) === normalizeScalar(right[name]))
    : undefined;
}
