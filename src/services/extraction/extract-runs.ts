import { and, count, desc, eq, isNull, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { everyPage, following } from '#src/db/paging.ts';
import { type ExtractJob, extractJobs } from '#src/db/schema/index.ts';

/** Whose jobs: those that go by a saved configuration, or with null those that go by none. */
export interface JobsOf {
  projectId: string;
  configurationId: string | null;
}

/** All of them, newest first. */
export function extractJobsOf(ctx: TenantContext, of: JobsOf): AsyncGenerator<ExtractJob[]> {
  return everyPage(
    (after, limit) =>
      ctx.db
        .select()
        .from(extractJobs)
        .where(and(are(of), following([extractJobs.createdAt, extractJobs.id], after, 'desc')))
        .orderBy(desc(extractJobs.createdAt), desc(extractJobs.id))
        .limit(limit),
    (row) => [row.createdAt.getTime(), row.id],
  );
}

/** Some of them, newest first, and how many there are in all. */
export async function someExtractJobsOf(
  ctx: TenantContext,
  of: JobsOf,
  window: { skip: number; limit: number },
): Promise<{ rows: ExtractJob[]; total: number }> {
  const where = are(of);
  const [rows, [total]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(extractJobs)
      .where(where)
      .orderBy(desc(extractJobs.createdAt), desc(extractJobs.id))
      .limit(window.limit)
      .offset(window.skip),
    ctx.db.select({ count: count() }).from(extractJobs).where(where),
  ]);
  return { rows, total: total!.count };
}

function are({ projectId, configurationId }: JobsOf): SQL | undefined {
  const { configurationId: column } = extractJobs;
  return and(
    eq(extractJobs.projectId, projectId),
    configurationId ? eq(column, configurationId) : isNull(column),
  );
}
