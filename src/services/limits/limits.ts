import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import type { LimitName } from '#src/db/schema/index.ts';
import { secondsLeftOf } from '#src/lib/day.ts';
import { LimitReached, RateLimited } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import type { Settings } from '#src/settings/settings.ts';

const VARIABLES = {
  files: 'PROJECT_FILES',
  bytes: 'PROJECT_BYTES',
  pages_per_day: 'PROJECT_PAGES_PER_DAY',
  concurrent_jobs: 'PROJECT_CONCURRENT_JOBS',
} as const satisfies Record<LimitName, keyof Settings>;

const most = (what: string) => z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish().describe(what);

export const projectLimits = z
  .object({
    files: most('Files that it holds.'),
    bytes: most('Bytes of these.'),
    pages_per_day: most('Pages that syncs index and jobs read in a day of UTC.'),
    concurrent_jobs: most('Extract, classify and parse jobs that are done at once; further ones wait.'),
  })
  .meta({ id: 'ProjectLimits' });

/** Returns a project's own limit, otherwise the installation's; null means no limit and 0 allows nothing. */
export function limitOf(ctx: Pick<Context, 'settings'>, name: LimitName, projectId: SQL): SQL<number | null> {
  return sql`(select ${inForce(ctx, name)} from projects where projects.id = ${projectId})`;
}

/** Returns the same limit for a query that already contains the project's row. */
export const inForce = ({ settings }: Pick<Context, 'settings'>, name: LimitName): SQL<number | null> =>
  sql`coalesce(projects.limits ->> ${name}, ${defaultOf(settings, name)})`;

export const defaultOf = (settings: Settings, name: LimitName): number | null =>
  settings[VARIABLES[name]] ?? null;

/** Returns a 429 error for a daily limit, which renews at midnight UTC. */
export function usedUpToday(limit: string, message: string): RateLimited {
  countRefusals(limit);
  return new RateLimited(`${message} (${limit}).`, secondsLeftOf(Date.now()), limit);
}

/** Returns a 402 error for a limit for which waiting does not help. */
export function reached(limit: LimitName, message: string): LimitReached {
  countRefusals(limit);
  return new LimitReached(limit, `${message} (${limit}).`);
}

const countRefusals = (limit: string) => count('sluice_limit_refusals_total', { limit });
