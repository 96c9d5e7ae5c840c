import type { Migration } from './landed.ts';
import { buildShape, type DatabaseShape, findDifference, readShape, type Select } from './shape.ts';

/** Relation between the schema of a database and the migrations of this release. */
export type SchemaState =
  /** The database has no tables yet. */
  | { kind: 'empty' }
  /** All migrations of this release have been applied. */
  | { kind: 'current' }
  /** An earlier release created the database. The pending migrations may be applied. */
  | { kind: 'older'; pending: string[] }
  /** The database records migrations that this release does not have. */
  | { kind: 'newer'; unknown: string[] }
  /** The tables differ from the recorded migrations. No migration may be applied. */
  | { kind: 'unknown'; difference: string };

/**
 * Returns the names of the applied migrations in order. Returns an empty list if wrangler never migrated the
 * database.
 */
export async function readRecordedMigrations(select: Select): Promise<string[]> {
  const tables = await select(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'",
  );
  if (tables.length === 0) return [];
  return (await select('SELECT name FROM d1_migrations ORDER BY id')).map(({ name }) => String(name));
}

export async function readSchemaState(
  select: Select,
  migrations: readonly Migration[],
): Promise<SchemaState> {
  return judgeSchema(await readRecordedMigrations(select), await readShape(select), migrations);
}

/**
 * Compares the recorded migrations and the actual shape of a database with the migrations of this release.
 */
export async function judgeSchema(
  recorded: readonly string[],
  actual: DatabaseShape,
  migrations: readonly Migration[],
): Promise<SchemaState> {
  if (recorded.length === 0) {
    if (actual.size === 0) return { kind: 'empty' };
    const [first] = actual.keys();
    return { kind: 'unknown', difference: `it contains the ${first} but records no migration` };
  }
  const unknown = recorded.filter((name) => !migrations.some((each) => each.name === name));
  if (unknown.length > 0) return { kind: 'newer', unknown };
  const applied = migrations.slice(0, recorded.length);
  const skipped = applied.find(({ name }, index) => recorded[index] !== name);
  if (skipped) {
    const instead = recorded[applied.indexOf(skipped)];
    return { kind: 'unknown', difference: `it records the migration ${instead} instead of ${skipped.name}` };
  }
  const difference = findDifference(actual, await buildShape(applied));
  if (difference) return { kind: 'unknown', difference };
  if (applied.length === migrations.length) return { kind: 'current' };
  return { kind: 'older', pending: migrations.slice(applied.length).map(({ name }) => name) };
}
