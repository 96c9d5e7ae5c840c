import { isRecord } from '#src/json-schema/schema.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';
import { confidenceOf, type EvidenceMap, type FieldEvidence, pointer } from './evidence.ts';

const contradicts = (row: unknown[], item: unknown) => row.some((other) => agreement(other, item) === false);

const isSingle = (value: unknown) => value !== undefined && value !== null && typeof value !== 'object';

const spell = (value: unknown) => String(value).toLowerCase().replace(/\s+/g, '');

export interface Piece {
  value: unknown;
  evidence: EvidenceMap;
}

/**
 * Merges answers about consecutive pieces of a document. The best-supported scalar wins, the earlier one on a
 * tie. Lists are concatenated without duplicates, except items with numbers, which are separate lines.
 * Objects are merged member by member, and evidence moves along.
 */
export function mergePieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, mergeLists);
}

/**
 * Merges pieces that were read without overlap. Unlike mergePieces it keeps all items of lists of objects.
 */
export function appendPieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, appendLists);
}

/**
 * Merges answers about parts of one schema: objects member by member, and lists item by item. Items match if
 * their common scalars agree; other items match by position.
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

/** A value with its position in its piece and the piece's evidence. */
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

type ListMerge = (parts: Part[], to: Path, into: Into) => unknown[];

function merge(parts: Part[], to: Path, into: Into): unknown {
  const given = parts.filter(({ value }) => value !== null && value !== undefined);
  const first = given[0];
  if (!first) return null;
  if (isRecord(first.value))
    return mergeObjects(
      given.filter(({ value }) => isRecord(value)),
      to,
      into,
    );
  if (Array.isArray(first.value)) {
    return into.lists(
      given.filter(({ value }) => Array.isArray(value)),
      to,
      into,
    );
  }
  const support = ({ at, from }: Part) => {
    const found = from.get(pointer(at));
    return found ? confidenceOf(found) : 0;
  };
  const best = given.reduce((left, right) => (support(right) > support(left) ? right : left));
  copyEvidence(best, to, into.evidence);
  return best.value;
}

function mergeObjects(parts: Part[], to: Path, into: Into) {
  const names = new Set(parts.flatMap(({ value }) => Object.keys(value as object)));
  const members = [...names].map((name) => {
    const inner = parts.map(({ value, at, from }) => ({
      value: (value as Record<string, unknown>)[name],
      at: [...at, name],
      from,
    }));
    return [name, merge(inner, [...to, name], into)];
  });
  return Object.fromEntries(members);
}

// Chunks do not overlap, so equal lines with numbers are two. A person or thing may be mentioned in several
// chunks.
const mergeLists: ListMerge = (parts, to, into) =>
  listed(parts, to, into, (item) => !isRecord(item) || !Object.values(item).some(isFigure));
const appendLists: ListMerge = (parts, to, into) => listed(parts, to, into, (item) => !isRecord(item));

const isFigure = (value: unknown) => typeof value === 'number';

/** Concatenates lists. An item of an earlier part is skipped if `isOnce` says so. */
function listed(parts: Part[], to: Path, { evidence }: Into, isOnce: (item: unknown) => boolean): unknown[] {
  const out: unknown[] = [];
  const seen = new Set<string>();
  for (const { value, at, from } of parts) {
    const own = new Set<string>();
    for (const [index, item] of (value as unknown[]).entries()) {
      const text = canonicalJson(item);
      // Equal items within one chunk are always separate.
      if (seen.has(text) && isOnce(item)) continue;
      own.add(text);
      copyEvidence({ value: item, at: [...at, index], from }, [...to, out.length], evidence);
      out.push(item);
    }
    for (const text of own) seen.add(text);
  }
  return out;
}

function joinLists(parts: Part[], to: Path, into: Into): unknown[] {
  const rows: Part[][] = [];
  for (const { value, at, from } of parts) {
    const items = (value as unknown[]).map((item, index) => ({ value: item, at: [...at, index], from }));
    const places = align(
      rows.map((row) => row.map((part) => part.value)),
      items.map((item) => item.value),
    );
    for (const [index, item] of items.entries()) {
      const place = places[index]!;
      rows[place] = [...(rows[place] ?? []), item];
    }
  }
  return rows.map((row, index) => merge(row, [...to, index], into));
}

function copyEvidence({ value, at, from }: Part, to: Path, evidence: Map<string, FieldEvidence>): void {
  const found = from.get(pointer(at));
  if (found) evidence.set(pointer(to), found);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    copyEvidence({ value: inner, at: [...at, key], from }, [...to, key], evidence);
  }
}

/**
 * Where the items of one list belong among rows that other parts of the schema have told of: for each item the
 * index of its row, or of a new one behind them. An item belongs to the next row whose single values agree with its
 * own. What agrees with none goes by its position, unless its values contradict that row's and the counts differ.
 */
function align(rows: unknown[][], items: unknown[]): number[] {
  const places = new Map<number, number>();
  const taken = new Set<number>();
  let next = 0;
  for (const [index, item] of items.entries()) {
    const row = rowOf(rows, item, taken, next);
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
    const fits = row && !taken.has(index) && (rows.length === items.length || !contradicts(row, item));
    return fits ? index : end++;
  });
}

/** Searches from `next` on and then from the start, because models mostly keep the order. */
function rowOf(
  rows: unknown[][],
  item: unknown,
  taken: ReadonlySet<number>,
  next: number,
): number | undefined {
  for (let step = 0; step < rows.length; step += 1) {
    const row = (next + step) % rows.length;
    if (!taken.has(row) && rows[row]!.some((other) => agreement(other, item) === true)) return row;
  }
  return undefined;
}

/** Returns whether all common scalars agree; undefined if there are none. */
function agreement(left: unknown, right: unknown): boolean | undefined {
  if (!isRecord(left) || !isRecord(right)) return canonicalJson(left) === canonicalJson(right);
  const common = Object.keys(left).filter((name) => isSingle(left[name]) && isSingle(right[name]));
  return common.length > 0 ? common.every((name) => spell(left[name]) === spell(right[name])) : undefined;
}
