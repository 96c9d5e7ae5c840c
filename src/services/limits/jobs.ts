import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { DomainError } from '#src/lib/errors.ts';
import { createDailyLimitError, createLimitError, selectLimit } from './limits.ts';
import { getPageUsage, selectPagesLeft } from './pages.ts';

/** Returns SQL that counts the running and waiting jobs of a project. */
const countOpenJobs = (projectId: SQL) =>
  sql.join(
    ['extract_jobs', 'classify_jobs', 'split_jobs', 'sheets_jobs', 'parse_jobs'].map(
      (table) => sql`(select count(*) from ${sql.raw(table)} job
        where job.project_id = ${projectId} and job.status in ('PENDING', 'RUNNING'))`,
    ),
    sql` + `,
  );

/** Returns the SQL condition for inserting a job: the project may run jobs and has pages left today. */
export function canHaveJobs(ctx: Context, projectId: string): SQL {
  const id = sql`${projectId}`;
  return sql`coalesce(${selectPagesLeft(ctx, id)} > 0, true) and coalesce(${selectLimit(ctx, 'concurrent_jobs', id)} > 0, true)`;
}

/** Returns the error for a job that `canHaveJobs` rejected. */
export async function createJobRejection(ctx: Context, projectId: string): Promise<DomainError> {
  const [jobs, pages] = await Promise.all([getJobUsage(ctx, projectId), getPageUsage(ctx, projectId)]);
  if (jobs.limit === 0) return createLimitError('concurrent_jobs', 'The project is not allowed to run jobs');
  return createDailyLimitError(
    'pages_per_day',
    `The project has used all of its ${pages.limit} pages for today`,
  );
}

/**
 * Counts a project's unfinished jobs. `used` is the number within the limit of concurrent jobs, `waiting` the
 * number beyond it. `limit` is null if there is no limit.
 */
export async function getJobUsage(ctx: Context, projectId: string) {
  const id = sql`${projectId}`;
  const [row] = await ctx.db.all<{ used: number; most: number | null }>(
    sql`select ${countOpenJobs(id)} as used, ${selectLimit(ctx, 'concurrent_jobs', id)} as most`,
  );
  const { used = 0, most: limit = null } = row ?? {};
  const waiting = limit === null ? 0 : Math.max(0, used - limit);
  return { used: used - waiting, waiting, limit };
}
