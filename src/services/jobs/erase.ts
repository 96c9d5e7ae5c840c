import { and, eq, inArray } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { getJobTable, JOB_KINDS } from './kinds.ts';
import { OPEN_STATUSES } from './transitions.ts';

/** Number of job owners that are called concurrently. */
const BATCH_SIZE = 50;

/**
 * Deletes the unfinished jobs and webhook deliveries of a project. Workers stop within seconds, and the
 * owning Durable Objects delete their state. Finished jobs have no owner. The function can be called again.
 */
export async function eraseJobs(ctx: Context, projectId: string): Promise<void> {
  await ctx.objects.jobIntake(projectId).drop();
  for (const kind of JOB_KINDS) {
    const table = getJobTable(kind);
    const open = and(eq(table.projectId, projectId), inArray(table.status, OPEN_STATUSES));
    await eraseInBatches(
      () => ctx.db.select({ id: table.id }).from(table).where(open).limit(BATCH_SIZE),
      async (ids) => {
        await dropOwners(ctx, ids);
        await ctx.db.delete(table).where(inArray(table.id, ids));
      },
    );
  }
  const { jobId, status } = webhookDeliveries;
  const pending = and(eq(webhookDeliveries.projectId, projectId), eq(status, 'pending'));
  await eraseInBatches(
    () => ctx.db.selectDistinct({ id: jobId }).from(webhookDeliveries).where(pending).limit(BATCH_SIZE),
    async (ids) => {
      await dropOwners(ctx, ids);
      await ctx.db.delete(webhookDeliveries).where(inArray(jobId, ids));
    },
  );
}

async function dropOwners(ctx: Context, ids: string[]): Promise<void> {
  await Promise.all(ids.map((id) => ctx.objects.jobState(id).drop()));
}

async function eraseInBatches(
  find: () => PromiseLike<{ id: string }[]>,
  erase: (ids: string[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const found = await find();
    if (found.length === 0) return;
    await erase(found.map(({ id }) => id));
  }
}
