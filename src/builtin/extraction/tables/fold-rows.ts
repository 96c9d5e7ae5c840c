import type { Candidate } from '../candidates.ts';
import type { Field } from '../fields.ts';
import type { EvidenceCollector } from '../notes.ts';
import type { List, Shape } from '../shape.ts';
import type { Row } from './tables.ts';

type Path = (string | number)[];

/**
 * Builds nested objects from the rows of a table. Each row is one object of the innermost list. Consecutive
 * rows with equal or blank outer cells belong to one outer object.
 */
export function foldRows(
  shape: Shape,
  rows: Row[],
  path: Path,
  notes: EvidenceCollector,
): Record<string, unknown>[] {
  return groupRows(shape, rows).map((group, index) => buildItem(shape, group, [...path, index], notes));
}

function groupRows(shape: Shape, rows: Row[]): Row[][] {
  const inner = shape.lists.filter((list) => 'items' in list).flatMap(listFields);
  if (!rows.some((row) => inner.some((field) => row.has(field)))) return rows.map((row) => [row]);
  const groups: Row[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group && belongsToItem(shape, group[0]!, row)) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

function belongsToItem(shape: Shape, first: Row, row: Row): boolean {
  return shape.leaves.every(({ field }) => {
    const given = row.get(field);
    return given === undefined || given[0]?.value === first.get(field)?.[0]?.value;
  });
}

function buildItem(
  shape: Shape,
  group: Row[],
  path: Path,
  notes: EvidenceCollector,
): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const leaf of shape.leaves) {
    const [candidate] = group.find((row) => row.has(leaf.field))?.get(leaf.field) ?? [];
    setAtPath(item, leaf.path, candidate ? notes.record([...path, ...leaf.path], candidate) : null);
  }
  for (const list of shape.lists) setAtPath(item, list.path, listValues(list, group, path, notes));
  return item;
}

function listValues(list: List, group: Row[], path: Path, notes: EvidenceCollector): unknown[] {
  const at = [...path, ...list.path];
  if ('items' in list) {
    const fields = listFields(list);
    const own = group.filter((row) => fields.some((field) => row.has(field)));
    return foldRows(list.items, own, at, notes);
  }
  const cells = group.map((row) => row.get(list.field) ?? []);
  // If consecutive rows repeat the same list cell, its values are added only once.
  const fresh = cells.filter(
    (cell, index) => index === 0 || toCellKey(cell) !== toCellKey(cells[index - 1]!),
  );
  return fresh.flat().map((candidate, index) => notes.record([...at, index], candidate));
}

const toCellKey = (cell: Candidate[]) => JSON.stringify(cell.map(({ value }) => value));

function listFields(list: List): Field[] {
  if ('field' in list) return [list.field];
  return [...list.items.leaves.map(({ field }) => field), ...list.items.lists.flatMap(listFields)];
}

function setAtPath(item: Record<string, unknown>, path: string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) item[name!] = value;
  else {
    item[name!] ??= {};
    setAtPath(item[name!] as Record<string, unknown>, rest, value);
  }
}
