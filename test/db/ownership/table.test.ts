import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { OwnershipTable } from '#src/db/ownership/entry.ts';
import { getOwnerKeys, OWNED_TABLES, whereOwnedBy } from '#src/db/ownership/owned-tables.ts';
import { OWNERSHIP } from '#src/db/ownership/table.ts';

/** Tables that Cloudflare, SQLite and the migrations themselves create. */
const isForeign = (name: string) => /^(_cf_|sqlite_|d1_migrations)/.test(name);

/** Returns the tables of the database that have no entry in the ownership table. */
async function findTablesWithoutEntry(): Promise<string[]> {
  const { results } = await env.DB.prepare(`select name from sqlite_master where type = 'table'`).all<{
    name: string;
  }>();
  return results
    .map(({ name }) => name)
    .filter((name) => !isForeign(name) && !Object.hasOwn(OWNERSHIP, name));
}

describe('the ownership table', () => {
  it('has an entry for every table of the migrations, and detects a table without an entry', async () => {
    expect(await findTablesWithoutEntry()).toEqual([]);
    await env.DB.exec('create table planted (id text primary key)');
    expect(await findTablesWithoutEntry()).toEqual(['planted']);
    await env.DB.exec('drop table planted');
  });

  it('fails to compile if an entry is missing, belongs to another table or names an unknown column', () => {
    const { files, ...others } = OWNERSHIP;
    // @ts-expect-error The table `files` has no entry.
    others satisfies OwnershipTable;
    // @ts-expect-error The entry has another table.
    ({ ...others, files: OWNERSHIP.parses }) satisfies OwnershipTable;
    // @ts-expect-error The table has no such column.
    ({ ...others, files: { ...files, owners: ['owner_id'] } }) satisfies OwnershipTable;
    // @ts-expect-error Key rotation needs the column `updatedAt`, which `parses` does not have.
    ({ ...OWNERSHIP, parses: { ...OWNERSHIP.parses, sealed: {} } }) satisfies OwnershipTable;
  });

  it('lists each entry under the name of its table', () => {
    expect(OWNED_TABLES.map(({ name }) => name)).toEqual(Object.keys(OWNERSHIP));
  });

  it('lists each table after the tables that it references', () => {
    const names = OWNED_TABLES.map(({ name }): string => name);
    const early = OWNED_TABLES.flatMap(({ name, shape }, at) =>
      shape.references
        .filter(({ table }) => !names.slice(0, at).includes(table))
        .map(({ column }) => `${name}.${column}`),
    );
    expect(early).toEqual([]);
  });

  it('names an owner for every table, except for tables of the installation', () => {
    const ofInstallation = OWNED_TABLES.filter(({ owners }) => owners.length === 0).map(({ name }) => name);
    expect(ofInstallation).toEqual(['organizations', 'users', 'bootstraps', 'dead_letters']);
    for (const table of OWNED_TABLES) {
      const isOfOrganization = whereOwnedBy(table, 'organizations', '') !== undefined;
      expect(isOfOrganization, table.name).toBe(
        table.name === 'organizations' || !ofInstallation.includes(table.name),
      );
    }
  });

  it('lists every foreign key to an organization, project, pipeline or retriever among the owners', () => {
    const owners = ['organizations', 'projects', 'pipelines', 'retrievers'];
    for (const table of OWNED_TABLES) {
      const expected = table.shape.references.filter((each) => owners.includes(each.table));
      const listed = getOwnerKeys(table).map(({ column }) => column);
      for (const { column } of expected) expect(listed, table.name).toContain(column);
    }
  });

  it('relies on a cascade only if the foreign key has ON DELETE CASCADE', () => {
    for (const table of OWNED_TABLES) {
      for (const { column, onDelete } of getOwnerKeys(table)) {
        expect(onDelete, `${table.name}.${column}`).toBe('cascade');
      }
      if (table.owners.length === 0) expect(['service', 'never'], table.name).toContain(table.erase);
    }
  });

  it('gives a reason for every table that a backup or an export omits', () => {
    for (const { name, backup, export: archive } of OWNED_TABLES) {
      for (const each of [backup, archive]) {
        if ('omittedBecause' in each) expect(each.omittedBecause, name).toMatch(/^\S.{20,}\.$/);
      }
    }
  });

  it('gives each exported file a unique name and position in its folder', () => {
    for (const owner of ['projects', 'pipelines']) {
      const here = OWNED_TABLES.filter((each) => getOwnerKeys(each).some(({ table }) => table === owner));
      const files = here.flatMap((each) => ('omittedBecause' in each.export ? [] : [each.export]));
      expect(files.length, owner).toBeGreaterThan(1);
      expect(new Set(files.map(({ file }) => file)).size).toBe(files.length);
      expect(files.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(
        files.map((_, at) => at + 1),
      );
    }
  });
});
