import { DatabaseSync } from '../sqlite.ts';
import type { Migration } from './landed.ts';

/**
 * Columns, foreign keys, indexes and triggers of a database. The key names the part, such as `column
 * api_keys.parent_id`, and the value is its definition.
 */
export type DatabaseShape = ReadonlyMap<string, string>;

/** Runs a SELECT statement without parameters and returns its rows. */
export type Select = (sql: string) => Promise<Record<string, unknown>[]>;

/** Condition that excludes the tables of SQLite, Cloudflare and wrangler. */
const OWN = `name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND tbl_name <> 'd1_migrations'`;

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Reads the shape of a database. Tables are listed by name, because D1 refuses to describe Cloudflare's own
 * tables.
 */
export async function readShape(select: Select): Promise<DatabaseShape> {
  const objects = await select(
    `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND ${OWN} ORDER BY rowid`,
  );
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => String(name));
  const names = quote(JSON.stringify(tables));
  const columns = await select(
    `SELECT t.value AS "table", c.name, c.type, c."notnull" AS required, c.dflt_value AS usual, c.pk AS place
     FROM json_each(${names}) t, pragma_table_info(t.value) c ORDER BY t.key, c.cid`,
  );
  const references = await select(
    `SELECT t.value AS "table", r."from" AS source, r."table" AS target, r."to" AS target_column,
       r.on_delete, r.on_update
     FROM json_each(${names}) t, pragma_foreign_key_list(t.value) r ORDER BY t.key, r."from"`,
  );
  return new Map([
    ...tables.map((name): [string, string] => [`table ${name}`, '']),
    ...columns.map((column): [string, string] => [`column ${column.table}.${column.name}`, define(column)]),
    ...references.map(({ table, source, target, target_column, on_delete, on_update }): [string, string] => [
      `foreign key ${table}.${source}`,
      `${target}.${target_column}, on delete ${on_delete}, on update ${on_update}`,
    ]),
    ...objects
      .filter(({ type }) => type !== 'table')
      .map(({ type, name, sql }): [string, string] => [`${type} ${name}`, squeeze(String(sql))]),
  ]);
}

function define({ type, required, usual, place }: Record<string, unknown>): string {
  const parts = [String(type).toLowerCase(), Number(required) ? 'not null' : 'null'];
  if (usual !== null) parts.push(`default ${usual}`);
  if (Number(place) > 0) parts.push(`primary key ${place}`);
  return parts.join(', ');
}

const squeeze = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();

/** Returns the shape of a new database after applying the migrations. */
export async function buildShape(migrations: readonly Migration[]): Promise<DatabaseShape> {
  const database = new DatabaseSync(':memory:');
  try {
    for (const { sql } of migrations) database.exec(sql);
    return await readShape(async (sql) => database.prepare(sql).all());
  } finally {
    database.close();
  }
}

/**
 * Describes the first difference between a database and the expected shape. Returns `undefined` if there is
 * none. An index that an operator has added is not a difference unless it is unique, because only a unique
 * index rejects writes.
 */
export function findDifference(actual: DatabaseShape, expected: DatabaseShape): string | undefined {
  for (const [part, definition] of expected) {
    const found = actual.get(part);
    if (found === undefined) return `${part} is missing`;
    if (found !== definition) return `${part} is "${found}" and should be "${definition}"`;
  }
  for (const [part, definition] of actual) {
    const isHarmless = part.startsWith('index ') && !/^CREATE UNIQUE/i.test(definition);
    if (!expected.has(part) && !isHarmless) return `${part} is not created by any migration`;
  }
  return undefined;
}
