import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { DomainError } from '#src/lib/errors.ts';
import { limitOf, reached, usedUpToday } from './limits.ts';
import { pagesLeft, pagesOf } from './pages.ts';

/** Counts the unfinished jobs of a project, running or waiting. */
const openOf = (projectId: SQL) =>
  sql.join(
    ['extract_jobs', 'classify_jobs', 'parse_jobs'].map(
      (table) => sql`(select count(*) from ${sql.raw(table)} job
        where job.project_id = ${projectId} and job.status in ('PENDING', 'RUNNING'))`,
    ),
    sql` + `,
  );

/** Condition for inserting a job: the project has pages left today and may have jobs at all. */
export function mayHaveJobs(ctx: Context, projectId: string): SQL {
  const id = sql`${projectId}`;
  return sql`coalesce(${pagesLeft(ctx, id)} > 0, true) and coalesce(${limitOf(ctx, 'concurrent_jobs', id)} > 0, true)`;
}

/** Returns the reason why `mayHaveJobs` rejected a job. */
export async function whyNoJobs(ctx: Context, projectId: string): Promise<DomainError> {
  const [jobs, pages] = await Promise.all([jobsOf(ctx, projectId), pagesOf(ctx, projectId)]);
  if (jobs.limit === 0) return reached('concurrent_jobs', 'The project may have no jobs');
  return usedUpToday('pages_per_day', `The project has used the ${pages.limit} pages that it has a day`);
}

/**
 * Counts a project's open jobs. `used` counts those that do not wait, `waiting` those beyond the limit, and
 * `limit` is the maximum of concurrent jobs; null without a limit.
 */
export async function jobsOf(ctx: Context, projectId: string) {
  const id = sql`${projectId}`;
  const [row] = await ctx.db.all<{ used: number; most: number | null }>(
    sql`select ${openOf(id)} as used, ${limitOf(ctx, 'concurrent_jobs', id)} as most`,
  );
  const { used = 0, most: limit = null } = row ?? {};
  const waiting = limit === null ? 0 : Math.max(0, used - limit);
  return { used: used - waiting, waiting, limit };
}
