import { getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import * as schema from '#src/db/schema/index.ts';
import { CARRIED, LEFT_OUT } from '#src/services/backup/carried.ts';
import { shapeOf } from '#src/services/backup/shapes.ts';
import { SEALED_COLUMNS } from '#src/services/secrets/rotate-secrets.ts';

const tables = Object.values<unknown>(schema).filter((each) => is(each, SQLiteTable));

describe('a backup', () => {
  it('holds every table, or says why not', () => {
    const known = [...CARRIED, ...LEFT_OUT].map(({ table }) => getTableName(table));
    expect(known.toSorted()).toEqual(tables.map((table) => getTableName(table)).toSorted());
    expect(LEFT_OUT.filter(({ why }) => why.length < 20)).toEqual([]);
  });

  it('has what a row refers to before the row', () => {
    const names = CARRIED.map(({ shape }) => shape.name);
    const late = CARRIED.flatMap(({ shape }, at) =>
      shape.references
        .filter(({ table }) => !names.slice(0, at).includes(table))
        .map(({ column }) => `${shape.name}.${column}`),
    );
    expect(late).toEqual([]);
  });

  it('refers to other rows by their ids, and reads them in the order of texts', () => {
    for (const { table, shape } of CARRIED) {
      expect(shape.key.length, shape.name).toBeGreaterThan(0);
      for (const each of shape.references) expect(shapeOf(table).columns).toContain(each.column);
    }
    expect(CARRIED.find(({ shape }) => shape.name === 'model_usage')?.shape.key).toEqual([
      'project_id',
      'day',
      'use',
      'model',
    ]);
  });

  it('holds all of a project that the project’s own row would take with it', () => {
    const owned = tables
      .map(shapeOf)
      .filter(({ references }) => references.some(({ table }) => table === 'projects'))
      .map(({ name }) => name);
    const within = CARRIED.filter((each) => each.within).map(({ shape }) => shape.name);
    const left = LEFT_OUT.map(({ table }): string => getTableName(table));
    // Keys belong to their users as well: whoever restores a project gives out others.
    expect(owned.filter((name) => !within.includes(name) && !left.includes(name))).toEqual(['api_keys']);
  });

  it('has a place for every sealed secret', () => {
    const left = LEFT_OUT.map(({ table }) => getTableName(table));
    for (const { table } of SEALED_COLUMNS) {
      const name = getTableName(table);
      const isKnown = left.includes(name) || shapeOf(table).columns.includes('id');
      expect(isKnown, name).toBe(true);
    }
  });
});
