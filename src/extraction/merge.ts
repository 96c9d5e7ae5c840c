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
 * Answers about the chunks of one document, in order, as one answer: of a scalar the value that is best
 * supported, the earlier one when they are alike; lists one after the other without what is there already,
 * but for items with figures, which are lines of their own; objects member by member. Evidence moves along.
 */
export function mergePieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, mergeLists);
}

/**
 * What was read in consecutive pieces of one document, without looking twice at any place: as mergePieces, but items
 * of lists of objects all stay, since each stands somewhere.
 */
export function appendPieces(pieces: Piece[]): Merged {
  return mergeWith(pieces, appendLists);
}

/**
 * Answers about parts of one schema as one answer to the whole: objects member by member, and lists item by item.
 * Items are the same when the single values that both hold are; what fits none goes by its position.
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

/** A value, where it stood in its piece, and that piece's evidence. */
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

// Chunks do not overlap: equal lines with figures are two, but a person or thing may be told of in each.
const mergeLists: ListMerge = (parts, to, into) =>
  listed(parts, to, into, (item) => !isRecord(item) || !Object.values(item).some(isFigure));
const appendLists: ListMerge = (parts, to, into) => listed(parts, to, into, (item) => !isRecord(item));

const isFigure = (value: unknown) => typeof value === 'number';

/** One after the other; an item that an earlier part has is left out when `isOnce` says so. */
function listed(parts: Part[], to: Path, { evidence }: Into, isOnce: (item: unknown) => boolean): unknown[] {
  const out: unknown[] = [];
  const seen = new Set<string>();
  for (const { value, at, from } of parts) {
    const own = new Set<string>();
    for (const [index, item] of (value as unknown[]).entries()) {
      const text = canonicalJson(item);
      // Equal items inside one chunk are always two of the document.
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

/** From `next` on, then from the start: models mostly keep the order. */
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

/** Whether all single values that both hold are alike; undefined when they have none in common. */
function agreement(left: unknown, right: unknown): boolean | undefined {
  if (!isRecord(left) || !isRecord(right)) return canonicalJson(left) === canonicalJson(right);
  const common = Object.keys(left).filter((name) => isSingle(left[name]) && isSingle(right[name]));
  return common.length > 0 ? common.every((name) => spell(left[name]) === spell(right[name])) : undefined;
}
