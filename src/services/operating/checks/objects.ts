import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { readPageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { deleteKeys } from '#src/services/files/content.ts';
import { type Check, type Finding, mended, TOKEN_PLACE } from '#src/services/operating/check.ts';

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

/**
 * Whether a row speaks of each object in the bucket: of what is older than a day, so that nothing is taken away from
 * somebody who has put it there and not yet written it down. What this version has no name for is left alone.
 */
export const checkObjects: Check = async (ctx, input) => {
  const [cursor] = readPageToken(input.page_token, ['string'], TOKEN_PLACE) ?? [];
  const from = cursor === undefined ? {} : { startAfter: cursor };
  const listed = await ctx.bucket.list({ prefix: 'projects/', limit: input.page_size, ...from });
  const before = Date.now() - DAY_MS;
  const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < before);
  const orphans = await withoutRow(
    ctx,
    old.map(({ key }) => placeOf(key)),
  );
  const isMended = orphans.length > 0 && (await mended(ctx, input, () => deleteKeys(ctx.bucket, orphans)));
  const findings = orphans.map((place): Finding => {
    return { level: 'warn', place, message: 'No row speaks of it.', mended: isMended };
  });
  const last = listed.objects.at(-1);
  const next_page_token = listed.truncated && last ? encodeCursor([last.key]) : null;
  return { examined: listed.objects.length, findings, next_page_token };
};

function placeOf(key: string): Place & { kind: string } {
  const [, projectId = '', kind = '', ...parts] = key.split('/');
  return { key, projectId, kind, parts };
}

async function withoutRow(ctx: Context, places: (Place & { kind: string })[]): Promise<string[]> {
  const orphans: string[] = [];
  for (const [kind, some] of Map.groupBy(places, (place) => place.kind)) {
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
