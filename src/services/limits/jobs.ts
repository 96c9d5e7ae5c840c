import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { DomainError } from '#src/lib/errors.ts';
import { limitOf, reached, usedUpToday } from './limits.ts';
import { pagesLeft, pagesOf } from './pages.ts';

/** Jobs of a project that have not ended, whether somebody is at them or not. */
const openOf = (projectId: SQL) =>
  sql.join(
    ['extract_jobs', 'classify_jobs', 'parse_jobs'].map(
      (table) => sql`(select count(*) from ${sql.raw(table)} job
        where job.project_id = ${projectId} and job.status in ('PENDING', 'RUNNING'))`,
    ),
    sql` + `,
  );

/** For the statement that records a job: there are pages left for it today, and the project has jobs at all. */
export function mayHaveJobs(ctx: Context, projectId: string): SQL {
  const id = sql`${projectId}`;
  return sql`coalesce(${pagesLeft(ctx, id)} > 0, true) and coalesce(${limitOf(ctx, 'concurrent_jobs', id)} > 0, true)`;
}

/** Why a job was not recorded under `mayHaveJobs`. */
export async function whyNoJobs(ctx: Context, projectId: string): Promise<DomainError> {
  const [jobs, pages] = await Promise.all([jobsOf(ctx, projectId), pagesOf(ctx, projectId)]);
  if (jobs.limit === 0) return reached('concurrent_jobs', 'The project may have no jobs');
  return usedUpToday('pages_per_day', `The project has used the ${pages.limit} pages that it has a day`);
}

/** Jobs that are open, how many of them wait for others to end, and how many are done at once. */
export async function jobsOf(ctx: Context, projectId: string) {
  const id = sql`${projectId}`;
  const [row] = await ctx.db.all<{ used: number; most: number | null }>(
    sql`select ${openOf(id)} as used, ${limitOf(ctx, 'concurrent_jobs', id)} as most`,
  );
  const { used = 0, most: limit = null } = row ?? {};
  const waiting = limit === null ? 0 : Math.max(0, used - limit);
  return { used: used - waiting, waiting, limit };
}
