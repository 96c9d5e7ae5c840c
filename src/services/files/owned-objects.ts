import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { OwnedObjects } from '#src/db/ownership/entry.ts';
import { OWNED_TABLES, type OwnedTable, toColumnName } from '#src/db/ownership/owned-tables.ts';

interface ObjectPlace {
  key: string;
  projectId: string;
  /** Segments of the object's key after the folder. */
  parts: string[];
}

/**
 * SQL conditions under which a row owns a bucket object, by folder of the project. `place.value` has the
 * `key`, the `projectId` and the key's segments as `p0`, `p1` and so on. `all` contains all objects of the
 * query.
 */
const OWNERSHIP_CONDITIONS = new Map<string, ((all: SQL) => SQL)[]>([
  // The texts of each pipeline are read once for all objects, because no index covers them.
  [
    'pipelines',
    [
      (all) => sql`place.value ->> 'p1' <> 'documents' or place.value ->> 'p2' in (
        select text_id from pipeline_members where kind = 'text'
          and pipeline_id in (select value ->> 'p0' from ${all}))`,
    ],
  ],
]);
for (const table of OWNED_TABLES) {
  for (const [folder, objects] of Object.entries<OwnedObjects>(table.objects ?? {})) {
    const isOwned = ownsPlace(table, objects);
    OWNERSHIP_CONDITIONS.set(folder, [...(OWNERSHIP_CONDITIONS.get(folder) ?? []), () => isOwned]);
  }
}

function ownsPlace(table: OwnedTable, { by, keys = [] }: OwnedObjects): SQL {
  const conditions = [sql`${sql.raw(toColumnName(by))} = place.value ->> 'p0'`];
  if (by !== 'id') conditions.push(sql`project_id = place.value ->> 'projectId'`);
  if (keys.length > 0) {
    const columns = keys.map((column) => sql.raw(toColumnName(column)));
    conditions.push(sql`place.value ->> 'key' in (${sql.join(columns, sql`, `)})`);
  }
  return sql`exists (select 1 from ${sql.raw(table.name)} where ${sql.join(conditions, sql` and `)})`;
}

/**
 * Returns the keys of objects that no row owns. Objects in folders that this release does not know are never
 * returned.
 */
export async function findOrphans(ctx: Context, keys: readonly string[]): Promise<string[]> {
  const orphans: string[] = [];
  for (const [folder, some] of Map.groupBy(keys.map(parseKey), (place) => place.folder)) {
    const owners = OWNERSHIP_CONDITIONS.get(folder);
    if (!owners) continue;
    const rows = some.map(({ key, projectId, parts: [p0, p1, p2] }) => ({ key, projectId, p0, p1, p2 }));
    const all = sql`json_each(${JSON.stringify(rows)})`;
    const isOwned = sql.join(
      owners.map((owner) => owner(all)),
      sql` or `,
    );
    const found = await ctx.db.all<{ key: string }>(
      sql`select place.value ->> 'key' as key from ${all} place where not (${isOwned})`,
    );
    orphans.push(...found.map(({ key }) => key));
  }
  return orphans;
}

function parseKey(key: string): ObjectPlace & { folder: string } {
  const [, projectId = '', folder = '', ...parts] = key.split('/');
  return { key, projectId, folder, parts };
}
