import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';

interface Place {
  key: string;
  projectId: string;
  /** The further parts of its key. */
  parts: string[];
}

/**
 * Whether a row speaks of a place, by kind. `place.value` has `key`, `projectId` and the parts as `p0`, `p1`…; `all`
 * are the places that are asked about together.
 */
const OWNED: Record<string, (all: SQL) => SQL> = {
  files: () => sql`exists (select 1 from files where id = place.value ->> 'p0'
    and (storage_key = place.value ->> 'key' or pending_key = place.value ->> 'key'))`,
  parsed: () => sql`exists (select 1 from files where project_id = place.value ->> 'projectId'
      and content_hash = place.value ->> 'p0')
    or exists (select 1 from parses where project_id = place.value ->> 'projectId'
      and content_hash = place.value ->> 'p0')`,
  // The members of each pipeline are gone through once: texts have no index of their own.
  pipelines: (all) => sql`place.value ->> 'p1' <> 'documents' or place.value ->> 'p2' in (
    select text_id from pipeline_members where kind = 'text'
      and pipeline_id in (select value ->> 'p0' from ${all}))`,
  jobs: () => sql`exists (select 1 from extract_jobs where id = place.value ->> 'p0')
    or exists (select 1 from classify_jobs where id = place.value ->> 'p0')
    or exists (select 1 from parse_jobs where id = place.value ->> 'p0')`,
};

/** Those of the objects that no row speaks of. What this version has no name for is left alone. */
export async function withoutOwner(ctx: Context, keys: readonly string[]): Promise<string[]> {
  const orphans: string[] = [];
  for (const [kind, some] of Map.groupBy(keys.map(placeOf), (place) => place.kind)) {
    const isOwned = Object.hasOwn(OWNED, kind) ? OWNED[kind] : undefined;
    if (!isOwned) continue;
    const rows = some.map(({ key, projectId, parts: [p0, p1, p2] }) => ({ key, projectId, p0, p1, p2 }));
    const all = sql`json_each(${JSON.stringify(rows)})`;
    const found = await ctx.db.all<{ key: string }>(
      sql`select place.value ->> 'key' as key from ${all} place where not (${isOwned(all)})`,
    );
    orphans.push(...found.map(({ key }) => key));
  }
  return orphans;
}

function placeOf(key: string): Place & { kind: string } {
  const [, projectId = '', kind = '', ...parts] = key.split('/');
  return { key, projectId, kind, parts };
}
