import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import type { LimitName } from '#src/db/schema/index.ts';
import { countSecondsUntilNextDay } from '#src/lib/day.ts';
import { LimitReached, RateLimited } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import type { Settings } from '#src/settings/settings.ts';

const VARIABLES = {
  files: 'PROJECT_FILES',
  bytes: 'PROJECT_BYTES',
  pages_per_day: 'PROJECT_PAGES_PER_DAY',
  concurrent_jobs: 'PROJECT_CONCURRENT_JOBS',
} as const satisfies Record<LimitName, keyof Settings>;

const limitSchema = (what: string) =>
  z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish().describe(what);

export const projectLimits = z
  .object({
    files: limitSchema('Maximum number of files in the project.'),
    bytes: limitSchema('Maximum total size of the files, in bytes.'),
    pages_per_day: limitSchema('Maximum number of pages that syncs index and jobs read per UTC day.'),
    concurrent_jobs: limitSchema(
      'Maximum number of extract, classify and parse jobs that run at once. Further jobs wait.',
    ),
  })
  .meta({ id: 'ProjectLimits' });

/**
 * Returns SQL for a limit of a project: its own limit, otherwise the installation's default. Null means no
 * limit, and 0 allows nothing.
 */
export function selectLimit(
  ctx: Pick<Context, 'settings'>,
  name: LimitName,
  projectId: SQL,
): SQL<number | null> {
  return sql`(select ${selectJoinedLimit(ctx, name)} from projects where projects.id = ${projectId})`;
}

/** Returns SQL for a project's own limit. Null means that the installation's default applies. */
export const selectOwnLimit = (name: LimitName, projectId: SQL): SQL<number | null> =>
  sql`(select projects.limits ->> ${name} from projects where projects.id = ${projectId})`;

/** Returns SQL for a limit of a project, for queries that already contain the row of `projects`. */
export const selectJoinedLimit = (
  { settings }: Pick<Context, 'settings'>,
  name: LimitName,
): SQL<number | null> => sql`coalesce(projects.limits ->> ${name}, ${getDefaultLimit(settings, name)})`;

export const getDefaultLimit = (settings: Settings, name: LimitName): number | null =>
  settings[VARIABLES[name]] ?? null;

/** Returns the HTTP error 429 for a daily limit that is used up. The limit is renewed at midnight UTC. */
export function createDailyLimitError(limit: string, message: string): RateLimited {
  countRefusals(limit);
  return new RateLimited(`${message} (${limit}).`, countSecondsUntilNextDay(Date.now()), limit);
}

/** Returns the HTTP error 402 for an exhausted limit that is not renewed every day. */
export function createLimitError(limit: LimitName, message: string): LimitReached {
  countRefusals(limit);
  return new LimitReached(limit, `${message} (${limit}).`);
}

const countRefusals = (limit: string) => count('sluice_limit_refusals_total', { limit });
