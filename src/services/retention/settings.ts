import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { projects, RETENTION_KINDS, type Retention, type RetentionKind } from '#src/db/schema/index.ts';
import { MOST_DAYS, type Settings } from '#src/settings/settings.ts';

const days = (what: string) =>
  z.number().int().min(1).max(MOST_DAYS).nullish().describe(`${what} Null: as the installation says.`);

/** Number of days after which data of a project expires, by kind. */
export const retention = z
  .object({
    files_days: days('Since the last change of a file that no pipeline and no job holds.'),
    parses_days: days('Since anything was stored of a parse whose file no pipeline and no job holds.'),
    jobs_days: days('Since the end of a job, which goes with its results.'),
    webhook_deliveries_days: days('Since the last attempt of a delivery that is over.'),
    usage_days: days(
      'Since what the daily counts, the usage of jobs and models and the history of syncs tell of.',
    ),
  })
  .meta({ id: 'Retention' });

/** Merges changed settings. Missing members stay, and null removes all settings. */
export function changedRetention(
  kept: Retention | null,
  given: Retention | null | undefined,
): Retention | null {
  if (given === undefined) return kept;
  if (given === null) return null;
  const changed = { ...kept, ...given };
  return RETENTION_KINDS.some((kind) => changed[`${kind}_days`]) ? changed : null;
}

/** Returns all members, including those that the project has not set. */
export function shownRetention(kept: Retention | null): Required<Retention> | null {
  if (!kept) return null;
  const { files_days, parses_days, jobs_days, webhook_deliveries_days, usage_days } = kept;
  return {
    files_days: files_days ?? null,
    parses_days: parses_days ?? null,
    jobs_days: jobs_days ?? null,
    webhook_deliveries_days: webhook_deliveries_days ?? null,
    usage_days: usage_days ?? null,
  };
}

const VARIABLES = {
  files: 'RETENTION_FILES_DAYS',
  parses: 'RETENTION_PARSES_DAYS',
  jobs: 'RETENTION_JOBS_DAYS',
  webhook_deliveries: 'RETENTION_WEBHOOK_DELIVERIES_DAYS',
  usage: 'RETENTION_USAGE_DAYS',
} as const satisfies Record<RetentionKind, keyof Settings>;

/** Returns the days of a kind; undefined if it never expires. */
export function daysOf(settings: Settings, kept: Retention | null, kind: RetentionKind): number | undefined {
  return kept?.[`${kind}_days`] ?? settings[VARIABLES[kind]];
}

export const hasDefaults = (settings: Settings): boolean =>
  Object.values(VARIABLES).some((name) => settings[name] !== undefined);

/** Selects up to `limit` projects in which data can expire, ordered by id and starting with the id `from`. */
export function expiringProjects(ctx: Context, from: string, limit: number) {
  const says = sql`retention is not null`;
  const beyond = sql`${projects.id} >= ${from}`;
  return ctx.db
    .select({ id: projects.id, retention: projects.retention })
    .from(projects)
    .where(hasDefaults(ctx.settings) ? beyond : sql`${beyond} and ${says}`)
    .orderBy(projects.id)
    .limit(limit);
}
