import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the D1 migrations, the same as `migrations_dir` in `wrangler.toml`. */
export const MIGRATIONS = 'migrations';

/** File with the SHA-256 hash of every landed migration by file name. Entries are added and never changed. */
export const LANDED = join(MIGRATIONS, 'landed.json');

export interface Migration {
  /** File name of the migration, which wrangler records in the table `d1_migrations`. */
  name: string;
  sql: string;
}

/**
 * Returns the migration files of a folder, sorted by name, which is the order in which wrangler applies them.
 */
export const listMigrations = (folder: string = MIGRATIONS): string[] =>
  globSync('*.sql', { cwd: folder }).toSorted();

/** Reads the migrations of a folder in the order in which they are applied. */
export const readMigrations = (folder: string = MIGRATIONS): Migration[] =>
  listMigrations(folder).map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }));

/** Computes the SHA-256 hash of a migration, in the form stored in `landed.json`. */
export const hashMigration = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex');

/** Hashes of landed migrations by file name, as stored in `landed.json`. */
export type LandedHashes = Record<string, string>;

/**
 * Returns one sentence for each difference between migrations and their recorded hashes. `former` contains
 * earlier versions of `landed.json`, whose entries must still exist unchanged.
 */
export function findChangedMigrations(
  migrations: readonly Migration[],
  landed: LandedHashes,
  former: readonly LandedHashes[] = [],
): string[] {
  const found = new Map(migrations.map((migration) => [migration.name, hashMigration(migration)]));
  const problems = Object.entries(landed).flatMap(([name, hash]) => {
    if (!found.has(name))
      return [`The released migration ${name} is missing from ${MIGRATIONS}/. Restore the file.`];
    if (found.get(name) === hash) return [];
    return [
      `The released migration ${name} was changed. Restore the file, and add a new migration for the change.`,
    ];
  });
  for (const [name, hash] of found) {
    if (!(name in landed)) problems.push(`${LANDED} has no entry for ${name}. Add: "${name}": "${hash}"`);
  }
  const changed = former.flatMap((each) =>
    Object.entries(each).filter(([name, hash]) => landed[name] !== hash),
  );
  for (const name of new Set(changed.map(([each]) => each))) {
    problems.push(`${LANDED} no longer has the hash of the released migration ${name}. Restore the entry.`);
  }
  return problems;
}
