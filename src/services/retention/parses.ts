import { and, eq, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { parses } from '#src/db/schema/index.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import type { Expiry } from './expiry.ts';
import { isHeld } from './files.ts';

/** Contents that are looked at by one step; each that nothing holds is listed. */
const CONTENTS_PER_STEP = 50;

/**
 * What was made of contents that nothing holds: pages, pictures, figures, readings. It goes as a whole, once nothing was
 * added to it since then. A file that is kept is parsed anew when it is used again.
 */
export const expireParses: Expiry = async (ctx, { projectId, before, cursor }) => {
  const prefix = keys.parses(projectId);
  const listed = await ctx.bucket.list({
    prefix,
    delimiter: '/',
    limit: CONTENTS_PER_STEP,
    ...(cursor !== undefined && { cursor }),
  });
  const contents = listed.delimitedPrefixes.map((each) => each.slice(prefix.length, -1));
  let removed = 0;
  for (const contentHash of await unheld(ctx, projectId, contents)) {
    const place = keys.parsedFile(projectId, contentHash);
    if (!(await isOlder(ctx, place, before))) continue;
    // Those before it took their time, in which a job may have come to read this one.
    if ((await unheld(ctx, projectId, [contentHash])).length === 0) continue;
    await deletePrefix(ctx.bucket, place);
    await ctx.db
      .delete(parses)
      .where(and(eq(parses.projectId, projectId), eq(parses.contentHash, contentHash)));
    removed += 1;
  }
  return { removed, next: listed.truncated ? listed.cursor : undefined };
};

async function unheld(ctx: Context, projectId: string, contents: string[]): Promise<string[]> {
  const held = await ctx.db.all<{ content: string }>(sql`
    select value as content from json_each(${JSON.stringify(contents)}) where
      exists (select 1 from parse_jobs where project_id = ${projectId} and content_hash = value)
      or exists (select 1 from files where project_id = ${projectId} and content_hash = value
        and ${isHeld(sql`files.id`)})`);
  const known = new Set(held.map(({ content }) => content));
  return contents.filter((content) => !known.has(content));
}

async function isOlder(ctx: Context, prefix: string, before: Date): Promise<boolean> {
  for (let startAfter: string | undefined; ; ) {
    const listed = await ctx.bucket.list({ prefix, ...(startAfter && { startAfter }) });
    if (listed.objects.some(({ uploaded }) => uploaded >= before)) return false;
    startAfter = listed.objects.at(-1)?.key;
    if (!listed.truncated || !startAfter) return true;
  }
}
