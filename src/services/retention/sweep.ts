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
import { DAY_MS, dayOf } from '#src/lib/day.ts';
import { messageOf } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import type { Expiry } from './expiry.ts';
import { expireFiles, isHeld } from './files.ts';
import { expireDeliveries, expireJobs } from './jobs.ts';
import { daysOf, expiringProjects, hasDefaults } from './settings.ts';

/** Number of contents per step. Each one that nothing refers to is listed in the bucket. */
const CONTENTS_PER_STEP = 50;

/**
 * Deletes everything derived from contents that nothing refers to: pages, pictures, figures, readings. It is
 * deleted together once nothing was added for the whole period. A file that is used again is parsed again.
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
    // Checked again, because a job may have started using it during the previous deletions.
    if ((await unheld(ctx, projectId, [contentHash])).length === 0) continue;
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
 * Deletes daily activity counts, the usage records of jobs, the daily usage of models, and sync runs. The
 * newest run of each pipeline stays, because it holds the pipeline's status.
 */
const expireUsage: Expiry = async (ctx, { projectId, before }) => {
  const day = dayOf(before.getTime());
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
    // Both tables have few rows per day, so they are deleted without a limit.
    ctx.db
      .delete(dailyActivity)
      .where(and(eq(dailyActivity.projectId, projectId), lt(dailyActivity.day, day))),
    ctx.db.delete(modelUsage).where(and(eq(modelUsage.projectId, projectId), lt(modelUsage.day, day))),
  ]);
  const changes = results.map(({ meta }) => meta.changes);
  const isFull = changes.some((number) => number >= ROWS_PER_STEP);
  return { removed: changes.reduce((sum, number) => sum + number, 0), next: isFull ? 'again' : undefined };
};

/** Jobs expire before the files and parses that they refer to. */
const ORDER = ['jobs', 'files', 'parses', 'webhook_deliveries', 'usage'] as const satisfies RetentionKind[];

const EXPIRIES = {
  files: expireFiles,
  parses: expireParses,
  jobs: expireJobs,
  webhook_deliveries: expireDeliveries,
  usage: expireUsage,
} as const satisfies Record<RetentionKind, Expiry>;

const PROJECTS_PER_PAGE = 50;

/** Position at which the next step continues. */
export interface Place {
  projectId: string;
  kind: number;
  cursor?: string | undefined;
}

const BEGINNING: Place = { projectId: '', kind: 0 };

/** Returns whether any data can expire. */
export async function expiresAnything(ctx: Context): Promise<boolean> {
  return hasDefaults(ctx.settings) || (await expiringProjects(ctx, '', 1)).length > 0;
}

/**
 * Deletes expired data project by project until the time `until`. Returns the position to continue from;
 * undefined at the end. Failures are logged and retried in the next pass, so that they do not affect other
 * projects.
 */
export async function removeExpired(
  ctx: Context,
  from: Place | undefined,
  until: number,
): Promise<Place | undefined> {
  for (let place = from ?? BEGINNING; ; ) {
    const page = await expiringProjects(ctx, place.projectId, PROJECTS_PER_PAGE);
    for (const { id, retention } of page) {
      const at: Place = place.projectId === id ? place : { projectId: id, kind: 0 };
      const left = await sweepProject(ctx, at, retention, until);
      if (left) return left;
    }
    const last = page.at(-1);
    if (!last || page.length < PROJECTS_PER_PAGE) return undefined;
    // Ids are text of equal length, so this position follows the last id.
    place = { projectId: `${last.id} `, kind: 0 };
  }
}

/** Returns the position in the project at which time ran out. */
async function sweepProject(
  ctx: Context,
  { projectId, ...from }: Place,
  retention: Retention | null,
  until: number,
): Promise<Place | undefined> {
  let cursor = from.cursor;
  for (let kind = from.kind; kind < ORDER.length; kind++) {
    const name = ORDER[kind]!;
    const days = daysOf(ctx.settings, retention, name);
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
      ctx.log.warn('not expired', { projectId, kind: name, error: messageOf(error) });
    } finally {
      if (removed > 0) ctx.log.info('expired', { projectId, kind: name, removed, days });
    }
    cursor = undefined;
  }
  return undefined;
}

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
