import type { Candidate } from '../candidates.ts';
import type { Field } from '../fields.ts';
import type { Notes } from '../notes.ts';
import type { List, Shape } from '../shape.ts';
import type { Row } from './tables.ts';

type Path = (string | number)[];

/**
 * The items that rows of a table stand for. Where an item holds lists of objects, each row is one of the innermost
 * of them: rows that follow each other with the same values around them, or with blanks, belong to one item.
 */
export function foldRows(shape: Shape, rows: Row[], path: Path, notes: Notes): Record<string, unknown>[] {
  return groupsOf(shape, rows).map((group, index) => itemOf(shape, group, [...path, index], notes));
}

function groupsOf(shape: Shape, rows: Row[]): Row[][] {
  const inner = shape.lists.filter((list) => 'items' in list).flatMap(fieldsOf);
  if (!rows.some((row) => inner.some((field) => row.has(field)))) return rows.map((row) => [row]);
  const groups: Row[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group && goesOn(shape, group[0]!, row)) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

function goesOn(shape: Shape, first: Row, row: Row): boolean {
  return shape.leaves.every(({ field }) => {
    const given = row.get(field);
    return given === undefined || given[0]?.value === first.get(field)?.[0]?.value;
  });
}

function itemOf(shape: Shape, group: Row[], path: Path, notes: Notes): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const leaf of shape.leaves) {
    const [candidate] = group.find((row) => row.has(leaf.field))?.get(leaf.field) ?? [];
    put(item, leaf.path, candidate ? notes.take([...path, ...leaf.path], candidate) : null);
  }
  for (const list of shape.lists) put(item, list.path, valuesOf(list, group, path, notes));
  return item;
}

function valuesOf(list: List, group: Row[], path: Path, notes: Notes): unknown[] {
  const at = [...path, ...list.path];
  if ('items' in list) {
    const fields = fieldsOf(list);
    const own = group.filter((row) => fields.some((field) => row.has(field)));
    return foldRows(list.items, own, at, notes);
  }
  const cells = group.map((row) => row.get(list.field) ?? []);
  // A cell that is printed again for each row of the item is one list.
  const fresh = cells.filter((cell, index) => index === 0 || spell(cell) !== spell(cells[index - 1]!));
  return fresh.flat().map((candidate, index) => notes.take([...at, index], candidate));
}

const spell = (cell: Candidate[]) => JSON.stringify(cell.map(({ value }) => value));

function fieldsOf(list: List): Field[] {
  if ('field' in list) return [list.field];
  return [...list.items.leaves.map(({ field }) => field), ...list.items.lists.flatMap(fieldsOf)];
}

function put(item: Record<string, unknown>, path: string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) item[name!] = value;
  else {
    item[name!] ??= {};
    put(item[name!] as Record<string, unknown>, rest, value);
  }
}
