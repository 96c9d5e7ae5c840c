import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import {
  dailyActivity,
  modelUsage,
  parses,
  pipelines,
  type Retention,
  type RetentionKind,
  syncRuns,
  usageRecords,
} from '#src/db/schema/index.ts';
import { DAY_MS, toUtcDay } from '#src/lib/day.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import type { Expiry } from './expiry.ts';
import { expireFiles, isReferenced } from './files.ts';
import { expireDeliveries, expireJobs } from './jobs.ts';
import { getRetentionDays, selectExpiringProjects } from './settings.ts';

/** Maximum number of content hashes per step. For each unused hash, the bucket has to be listed. */
const CONTENTS_PER_STEP = 50;

/**
 * Deletes parse results of content that no file uses any more, with screenshots, figures and model readings.
 * Results are kept if anything was added to them during the retention period.
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
  for (const contentHash of await findUnusedContents(ctx, projectId, contents)) {
    const place = keys.parsedFile(projectId, contentHash);
    if (!(await isOlder(ctx, place, before))) continue;
    // Whether the content is used is checked again, because a job may have started to use it during the
    // previous deletions.
    if ((await findUnusedContents(ctx, projectId, [contentHash])).length === 0) continue;
    await deletePrefix(ctx.bucket, place);
    await ctx.db
      .delete(parses)
      .where(and(eq(parses.projectId, projectId), eq(parses.contentHash, contentHash)));
    removed += 1;
  }
  return { removed, next: listed.truncated ? listed.cursor : undefined };
};

const ROWS_PER_STEP = 1_000;

/**
 * Deletes daily activity counts, usage records of jobs, daily model usage and sync runs. The newest sync run
 * of each pipeline is kept, because it determines the pipeline's status.
 */
const expireUsage: Expiry = async (ctx, { projectId, before }) => {
  const day = toUtcDay(before.getTime());
  const records = ctx.db
    .select({ id: usageRecords.id })
    .from(usageRecords)
    .where(and(eq(usageRecords.projectId, projectId), lt(usageRecords.createdAt, before)))
    .limit(ROWS_PER_STEP);
  const own = ctx.db.select({ id: pipelines.id }).from(pipelines).where(eq(pipelines.projectId, projectId));
  const runs = ctx.db
    .select({ id: syncRuns.id })
    .from(syncRuns)
    .where(
      and(
        inArray(syncRuns.pipelineId, own),
        lt(syncRuns.startedAt, before),
        sql`finished_at < ${before.getTime()}`,
        sql`exists (select 1 from sync_runs later where later.pipeline_id = sync_runs.pipeline_id
          and later.generation > sync_runs.generation)`,
      ),
    )
    .limit(ROWS_PER_STEP);
  const results = await ctx.db.batch([
    ctx.db.delete(usageRecords).where(inArray(usageRecords.id, records)),
    ctx.db.delete(syncRuns).where(inArray(syncRuns.id, runs)),
    // Rows of daily activity and model usage are few per day, so they are deleted without a limit.
    ctx.db
      .delete(dailyActivity)
      .where(and(eq(dailyActivity.projectId, projectId), lt(dailyActivity.day, day))),
    ctx.db.delete(modelUsage).where(and(eq(modelUsage.projectId, projectId), lt(modelUsage.day, day))),
  ]);
  const changes = results.map(({ meta }) => meta.changes);
  const isFull = changes.some((number) => number >= ROWS_PER_STEP);
  return { removed: changes.reduce((sum, number) => sum + number, 0), next: isFull ? 'again' : undefined };
};

/** Order in which kinds of data expire. Jobs come before the files and parse results that they refer to. */
const EXPIRY_ORDER = [
  'jobs',
  'files',
  'parses',
  'webhook_deliveries',
  'usage',
] as const satisfies RetentionKind[];

const EXPIRIES = {
  files: expireFiles,
  parses: expireParses,
  jobs: expireJobs,
  webhook_deliveries: expireDeliveries,
  usage: expireUsage,
} as const satisfies Record<RetentionKind, Expiry>;

const PROJECTS_PER_PAGE = 50;

/** Position at which the next step of a retention pass continues: a project, a kind of data, and a cursor. */
export interface SweepPosition {
  projectId: string;
  kind: number;
  cursor?: string | undefined;
}

const START: SweepPosition = { projectId: '', kind: 0 };

/**
 * Deletes expired data project by project until the time `until`. Returns the position at which the next call
 * continues, or `undefined` if all projects are done. An error in one project is logged and does not affect
 * the others.
 */
export async function removeExpired(
  ctx: Context,
  from: SweepPosition | undefined,
  until: number,
): Promise<SweepPosition | undefined> {
  for (let place = from ?? START; ; ) {
    const page = await selectExpiringProjects(ctx, place.projectId, PROJECTS_PER_PAGE);
    for (const { id, retention } of page) {
      const at: SweepPosition = place.projectId === id ? place : { projectId: id, kind: 0 };
      const left = await sweepProject(ctx, at, retention, until);
      if (left) return left;
    }
    const last = page.at(-1);
    if (!last || page.length < PROJECTS_PER_PAGE) return undefined;
    // All project ids have the same length, so an id followed by a space sorts directly after it and before
    // the next id.
    place = { projectId: `${last.id} `, kind: 0 };
  }
}

/**
 * Deletes the expired data of one project. Returns the position at which time ran out, or `undefined` if the
 * project is done.
 */
async function sweepProject(
  ctx: Context,
  { projectId, ...from }: SweepPosition,
  retention: Retention | null,
  until: number,
): Promise<SweepPosition | undefined> {
  let cursor = from.cursor;
  for (let kind = from.kind; kind < EXPIRY_ORDER.length; kind++) {
    const name = EXPIRY_ORDER[kind]!;
    const days = getRetentionDays(ctx.settings, retention, name);
    let removed = 0;
    try {
      while (days !== undefined) {
        if (Date.now() >= until) return { projectId, kind, cursor };
        const before = new Date(Date.now() - days * DAY_MS);
        const step = await EXPIRIES[name](ctx, { projectId, before, cursor });
        removed += step.removed;
        count('sluice_expired_total', { kind: name }, step.removed);
        cursor = step.next;
        if (cursor === undefined) break;
      }
    } catch (error) {
      ctx.log.warn('removing expired data failed', { projectId, kind: name, error: getErrorMessage(error) });
    } finally {
      if (removed > 0) ctx.log.info('removed expired data', { projectId, kind: name, removed, days });
    }
    cursor = undefined;
  }
  return undefined;
}

async function findUnusedContents(ctx: Context, projectId: string, contents: string[]): Promise<string[]> {
  const held = await ctx.db.all<{ content: string }>(sql`
    select value as content from json_each(${JSON.stringify(contents)}) where
      exists (select 1 from parse_jobs where project_id = ${projectId} and content_hash = value)
      or exists (select 1 from files where project_id = ${projectId} and content_hash = value
        and ${isReferenced(sql`files.id`)})`);
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
