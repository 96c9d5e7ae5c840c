import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the D1 migrations, as `wrangler.toml` names it in `migrations_dir`. */
export const MIGRATIONS = 'migrations';

/** Lists the SHA-256 hash of every landed migration by file name. Entries are added and never changed. */
export const LANDED = join(MIGRATIONS, 'landed.json');

export interface Migration {
  /** File name, which wrangler records in the table `d1_migrations`. */
  name: string;
  sql: string;
}

/** Returns the migration files of a folder, sorted by name: the order in which wrangler applies them. */
export const listMigrations = (folder: string = MIGRATIONS): string[] =>
  globSync('*.sql', { cwd: folder }).toSorted();

/** Reads the migrations of a folder in the order in which they are applied. */
export const readMigrations = (folder: string = MIGRATIONS): Migration[] =>
  listMigrations(folder).map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }));

/** Computes the hash under which `landed.json` pins a migration. */
export const hashMigration = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex');

/** Hashes of landed migrations by file name, as `landed.json` holds them. */
export type LandedHashes = Record<string, string>;

/**
 * Returns one sentence for each way in which migrations and their pinned hashes disagree. `former` holds earlier
 * versions of `landed.json`: an entry of one of them must still be there unchanged.
 */
export function findChangedMigrations(
  migrations: readonly Migration[],
  landed: LandedHashes,
  former: readonly LandedHashes[] = [],
): string[] {
  const found = new Map(migrations.map((migration) => [migration.name, hashMigration(migration)]));
  const problems = Object.entries(landed).flatMap(([name, hash]) => {
    if (!found.has(name)) return [`${name} has landed and is missing from ${MIGRATIONS}/.`];
    if (found.get(name) === hash) return [];
    return [`${name} has landed and was changed. Put it back, and add a new migration for the change.`];
  });
  for (const [name, hash] of found) {
    if (!(name in landed)) problems.push(`${LANDED} lacks ${name}. Add: "${name}": "${hash}"`);
  }
  const changed = former.flatMap((each) =>
    Object.entries(each).filter(([name, hash]) => landed[name] !== hash),
  );
  for (const name of new Set(changed.map(([each]) => each))) {
    problems.push(`${LANDED} no longer has the hash under which ${name} landed. Put the entry back.`);
  }
  return problems;
}
