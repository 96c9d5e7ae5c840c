import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { projects, RETENTION_KINDS, type Retention, type RetentionKind } from '#src/db/schema/index.ts';
import { MAX_RETENTION_DAYS, type Settings } from '#src/settings/settings.ts';

const days = (what: string) =>
  z
    .number()
    .int()
    .min(1)
    .max(MAX_RETENTION_DAYS)
    .nullish()
    .describe(`${what} Null applies the installation's default.`);

/** Number of days after which each kind of data of a project expires. */
export const retention = z
  .object({
    files_days: days(
      'Days after the last change of a file that no pipeline, directory or job uses, until it is deleted.',
    ),
    parses_days: days(
      'Days after the last addition to parse results whose file no pipeline or job uses, until they are deleted.',
    ),
    jobs_days: days('Days after the end of a job, until it is deleted with its results.'),
    webhook_deliveries_days: days(
      'Days after the last attempt of a finished webhook delivery, until it is deleted.',
    ),
    usage_days: days(
      'Days until daily counts, usage records of jobs and models, and past sync runs are deleted.',
    ),
  })
  .meta({ id: 'Retention' });

/**
 * Merges changed retention settings into stored ones. Omitted fields stay unchanged, and null removes all
 * settings.
 */
export function mergeRetention(
  kept: Retention | null,
  given: Retention | null | undefined,
): Retention | null {
  if (given === undefined) return kept;
  if (given === null) return null;
  const changed = { ...kept, ...given };
  return RETENTION_KINDS.some((kind) => changed[`${kind}_days`]) ? changed : null;
}

/** Returns all retention settings of a project, with null for those that it has not set. */
export function toRetentionView(kept: Retention | null): Required<Retention> | null {
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

/** Returns the number of days after which a kind of data expires. Returns `undefined` if it never expires. */
export function getRetentionDays(
  settings: Settings,
  kept: Retention | null,
  kind: RetentionKind,
): number | undefined {
  return kept?.[`${kind}_days`] ?? settings[VARIABLES[kind]];
}

const hasDefaultRetention = (settings: Settings): boolean =>
  Object.values(VARIABLES).some((name) => settings[name] !== undefined);

/**
 * Selects up to `limit` projects that have a retention period, ordered by id and starting at the id `from`.
 */
export function selectExpiringProjects(ctx: Context, from: string, limit: number) {
  const says = sql`retention is not null`;
  const beyond = sql`${projects.id} >= ${from}`;
  return ctx.db
    .select({ id: projects.id, retention: projects.retention })
    .from(projects)
    .where(hasDefaultRetention(ctx.settings) ? beyond : sql`${beyond} and ${says}`)
    .orderBy(projects.id)
    .limit(limit);
}
