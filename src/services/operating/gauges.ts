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
import { labelsOf, type Sample } from '#src/metrics/sample.ts';
import { jobTable, KINDS } from '#src/services/jobs/kinds.ts';

/** Maximum number of sync owners that are queried; the oldest runs first. */
const MOST_OWNERS = 20;

/** Selects the number of rows and the start of the oldest. */
const counted = (moment: SQLiteColumn) => ({
  number: sql<number>`count(*)`,
  since: sql<number | null>`min(${moment})`,
});

/**
 * Also filters by time, so that SQLite uses the index of open rows. By state alone it would scan another
 * index.
 */
const among = (isOpen: SQL, moment: SQLiteColumn) => and(isOpen, gt(moment, new Date(0)));

/**
 * Returns current gauges. The cost depends on the number of open items, not on the size of the installation.
 */
export async function gauges(ctx: Context): Promise<Sample[]> {
  const { db } = ctx;
  const [syncs, deliveries, letters, shards, runs, ...jobs] = await db.batch([
    db.select(counted(syncRuns.startedAt)).from(syncRuns).where(among(isOpenRun, syncRuns.startedAt)),
    db
      .select(counted(webhookDeliveries.createdAt))
      .from(webhookDeliveries)
      .where(among(isOpenDelivery, webhookDeliveries.createdAt)),
    db.select(counted(deadLetters.createdAt)).from(deadLetters),
    db
      .select({ state: pipelineIndexes.state, number: sql<number>`sum(${pipelineIndexes.shards})` })
      .from(pipelineIndexes)
      .groupBy(pipelineIndexes.state),
    db
      .select({ pipelineId: syncRuns.pipelineId })
      .from(syncRuns)
      .where(isOpenRun)
      .orderBy(asc(syncRuns.startedAt))
      .limit(MOST_OWNERS),
    ...KINDS.map(jobTable).map((table) =>
      db.select(counted(table.createdAt)).from(table).where(among(isOpenJob, table.createdAt)),
    ),
  ]);
  const kinds = { sync: syncs, webhook: deliveries, dead_letter: letters };
  const each = [
    ...Object.entries(kinds),
    ...KINDS.map((kind, at): [string, (typeof jobs)[number]] => [kind, jobs[at]!]),
  ];
  return [
    ...each.flatMap(([what, [row]]) => [
      ...(what === 'dead_letter' ? [] : [gauge('sluice_open', { what }, row?.number ?? 0)]),
      gauge('sluice_oldest_seconds', { what }, secondsSince(row?.since)),
    ]),
    gauge('sluice_dead_letters', {}, letters[0]?.number ?? 0),
    ...shards.map(({ state, number }) => gauge('sluice_index_shards', { state }, number)),
    ...(await ofOwners(
      ctx,
      runs.map(({ pipelineId }) => pipelineId),
    )),
  ];
}

/** Returns gauges that only the owners of syncs know. Owners that do not answer are left out. */
async function ofOwners(ctx: Context, pipelineIds: string[]): Promise<Sample[]> {
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
    gauge('sluice_sync_stalled_seconds', {}, secondsSince(since.length > 0 ? Math.min(...since) : null)),
    ...[...items].map(([state, number]) => gauge('sluice_sync_items', { state }, number)),
  ];
}

const secondsSince = (moment: number | null | undefined): number =>
  typeof moment === 'number' ? Math.max(0, (Date.now() - moment) / 1000) : 0;

const gauge = <Name extends GaugeName>(name: Name, labels: Labels<Name>, value: number): Sample => ({
  name,
  labels: labelsOf(name, labels),
  values: [value],
});
