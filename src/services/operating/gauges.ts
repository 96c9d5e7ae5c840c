import { and, asc, gt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Context } from '#src/context/context.ts';
import {
  deadLetters,
  isOpenDelivery,
  isOpenJob,
  isOpenRun,
  pipelineIndexes,
  syncRuns,
  webhookDeliveries,
} from '#src/db/schema/index.ts';
import type { GaugeName, Labels } from '#src/metrics/registry.ts';
import { listLabelValues, type Sample } from '#src/metrics/sample.ts';
import { getJobTable, JOB_KINDS } from '#src/services/jobs/kinds.ts';

/**
 * Maximum number of pipelines whose Durable Objects are queried. Those with the oldest sync runs come first.
 */
const MAX_OWNERS = 20;

/** Returns the SQL columns for the number of selected rows and the time of the oldest one. */
const selectCounts = (moment: SQLiteColumn) => ({
  number: sql<number>`count(*)`,
  since: sql<number | null>`min(${moment})`,
});

/**
 * Returns the SQL condition for rows of unfinished work. It also compares the time, so that SQLite uses the
 * index of unfinished rows instead of another one.
 */
const whereOpen = (isOpen: SQL, moment: SQLiteColumn) => and(isOpen, gt(moment, new Date(0)));

/**
 * Returns the current gauges. The cost depends on the number of unfinished items, not on the size of the
 * installation.
 */
export async function readGauges(ctx: Context): Promise<Sample[]> {
  const { db } = ctx;
  const [syncs, deliveries, letters, shards, runs, ...jobs] = await db.batch([
    db
      .select(selectCounts(syncRuns.startedAt))
      .from(syncRuns)
      .where(whereOpen(isOpenRun, syncRuns.startedAt)),
    db
      .select(selectCounts(webhookDeliveries.createdAt))
      .from(webhookDeliveries)
      .where(whereOpen(isOpenDelivery, webhookDeliveries.createdAt)),
    db.select(selectCounts(deadLetters.createdAt)).from(deadLetters),
    db
      .select({ state: pipelineIndexes.state, number: sql<number>`sum(${pipelineIndexes.shards})` })
      .from(pipelineIndexes)
      .groupBy(pipelineIndexes.state),
    db
      .select({ pipelineId: syncRuns.pipelineId })
      .from(syncRuns)
      .where(isOpenRun)
      .orderBy(asc(syncRuns.startedAt))
      .limit(MAX_OWNERS),
    ...JOB_KINDS.map(getJobTable).map((table) =>
      db.select(selectCounts(table.createdAt)).from(table).where(whereOpen(isOpenJob, table.createdAt)),
    ),
  ]);
  const kinds = { sync: syncs, webhook: deliveries, dead_letter: letters };
  const each = [
    ...Object.entries(kinds),
    ...JOB_KINDS.map((kind, at): [string, (typeof jobs)[number]] => [kind, jobs[at]!]),
  ];
  return [
    ...each.flatMap(([what, [row]]) => [
      ...(what === 'dead_letter' ? [] : [createGauge('sluice_open', { what }, row?.number ?? 0)]),
      createGauge('sluice_oldest_seconds', { what }, secondsSince(row?.since)),
    ]),
    createGauge('sluice_dead_letters', {}, letters[0]?.number ?? 0),
    ...shards.map(({ state, number }) => createGauge('sluice_index_shards', { state }, number)),
    ...(await readOwnerGauges(
      ctx,
      runs.map(({ pipelineId }) => pipelineId),
    )),
  ];
}

/** Returns gauges that only the Durable Objects of pipelines know. Objects that do not answer are omitted. */
async function readOwnerGauges(ctx: Context, pipelineIds: string[]): Promise<Sample[]> {
  const ids = [...new Set(pipelineIds)];
  const asked = await Promise.allSettled(ids.map((id) => ctx.objects.pipelineSync(id).view()));
  const views = asked.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  const working = views.filter(({ state }) => state !== 'done');
  const items = new Map<string, number>();
  for (const view of working) {
    for (const [state, number] of Object.entries(view.items))
      items.set(state, (items.get(state) ?? 0) + number);
  }
  const since = working.map(({ progressAt }) => progressAt);
  return [
    createGauge(
      'sluice_sync_stalled_seconds',
      {},
      secondsSince(since.length > 0 ? Math.min(...since) : null),
    ),
    ...[...items].map(([state, number]) => createGauge('sluice_sync_items', { state }, number)),
  ];
}

const secondsSince = (moment: number | null | undefined): number =>
  typeof moment === 'number' ? Math.max(0, (Date.now() - moment) / 1000) : 0;

export const createGauge = <Name extends GaugeName>(
  name: Name,
  labels: Labels<Name>,
  value: number,
): Sample => ({
  name,
  labels: listLabelValues(name, labels),
  values: [value],
});
