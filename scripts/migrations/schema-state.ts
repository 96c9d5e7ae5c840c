import type { Migration } from './landed.ts';
import { buildShape, type DatabaseShape, findDifference, readShape, type Select } from './shape.ts';

/** How the schema of a database relates to the migrations of this release. */
export type SchemaState =
  /** The database has no tables yet. */
  | { kind: 'empty' }
  /** Every migration of this release has been applied. */
  | { kind: 'current' }
  /** An earlier release made the database. The pending migrations may be applied. */
  | { kind: 'older'; pending: string[] }
  /** The database records migrations that this release does not have. */
  | { kind: 'newer'; unknown: string[] }
  /** The recorded migrations do not make the tables that are there. Nothing may be applied. */
  | { kind: 'unknown'; difference: string };

/** Reads the names of the applied migrations in their order. A database that wrangler never migrated has none. */
export async function readRecorded(select: Select): Promise<string[]> {
  const tables = await select(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'",
  );
  if (tables.length === 0) return [];
  return (await select('SELECT name FROM d1_migrations ORDER BY id')).map(({ name }) => String(name));
}

/** Compares a database with the migrations of this release. Reads only. */
export async function readSchemaState(
  select: Select,
  migrations: readonly Migration[],
): Promise<SchemaState> {
  return judgeSchema(await readRecorded(select), await readShape(select), migrations);
}

/** Compares the recorded migrations and the actual shape of a database with the migrations of this release. */
export async function judgeSchema(
  recorded: readonly string[],
  actual: DatabaseShape,
  migrations: readonly Migration[],
): Promise<SchemaState> {
  if (recorded.length === 0) {
    if (actual.size === 0) return { kind: 'empty' };
    const [first] = actual.keys();
    return { kind: 'unknown', difference: `it has the ${first} and records no migration` };
  }
  const unknown = recorded.filter((name) => !migrations.some((each) => each.name === name));
  if (unknown.length > 0) return { kind: 'newer', unknown };
  const applied = migrations.slice(0, recorded.length);
  const skipped = applied.find(({ name }, index) => recorded[index] !== name);
  if (skipped) {
    const instead = recorded[applied.indexOf(skipped)];
    return { kind: 'unknown', difference: `it records ${instead} where ${skipped.name} is expected` };
  }
  const difference = findDifference(actual, await buildShape(applied));
  if (difference) return { kind: 'unknown', difference };
  if (applied.length === migrations.length) return { kind: 'current' };
  return { kind: 'older', pending: migrations.slice(applied.length).map(({ name }) => name) };
}
