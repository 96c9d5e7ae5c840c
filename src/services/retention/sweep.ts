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

/** Contents that are looked at by one step; each that nothing holds is listed. */
const CONTENTS_PER_STEP = 50;

/**
 * What was made of contents that nothing holds: pages, pictures, figures, readings. It goes as a whole, once nothing was
 * added to it since then. A file that is kept is parsed anew when it is used again.
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
    // Those before it took their time, in which a job may have come to read this one.
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
 * What was counted day by day, what jobs and models took, and the runs of syncs. Of each pipeline the newest run stays:
 * it is what its status tells.
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
    // A row a day: never many.
    ctx.db
      .delete(dailyActivity)
      .where(and(eq(dailyActivity.projectId, projectId), lt(dailyActivity.day, day))),
    ctx.db.delete(modelUsage).where(and(eq(modelUsage.projectId, projectId), lt(modelUsage.day, day))),
  ]);
  const changes = results.map(({ meta }) => meta.changes);
  const isFull = changes.some((number) => number >= ROWS_PER_STEP);
  return { removed: changes.reduce((sum, number) => sum + number, 0), next: isFull ? 'again' : undefined };
};

/** Jobs before the files and parses that they hold. */
const ORDER = ['jobs', 'files', 'parses', 'webhook_deliveries', 'usage'] as const satisfies RetentionKind[];

const EXPIRIES = {
  files: expireFiles,
  parses: expireParses,
  jobs: expireJobs,
  webhook_deliveries: expireDeliveries,
  usage: expireUsage,
} as const satisfies Record<RetentionKind, Expiry>;

const PROJECTS_PER_PAGE = 50;

/** Where the next step of a pass goes on. */
export interface Place {
  projectId: string;
  kind: number;
  cursor?: string | undefined;
}

const BEGINNING: Place = { projectId: '', kind: 0 };

/** Whether there is anything to come back for. */
export async function expiresAnything(ctx: Context): Promise<boolean> {
  return hasDefaults(ctx.settings) || (await expiringProjects(ctx, '', 1)).length > 0;
}

/**
 * Removes what has expired, project by project, until `until`. Gives the place where the pass goes on; undefined at its
 * end. What fails is told and left to the next pass: it holds up no other project.
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
    // Ids are text, and no id begins with another one.
    place = { projectId: `${last.id} `, kind: 0 };
  }
}

/** The place in the project where time ran out. */
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
