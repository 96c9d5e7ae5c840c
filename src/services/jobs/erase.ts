import { and, eq, inArray } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { jobTable, KINDS } from './kinds.ts';
import { OPEN } from './transitions.ts';

/** Number of job owners that are called at once. */
const ROUND = 50;

/**
 * Ends the unfinished jobs and webhook deliveries of a project. Workers stop within seconds and owners delete
 * their state. Finished jobs have no owner. A call may be repeated.
 */
export async function eraseJobs(ctx: Context, projectId: string): Promise<void> {
  await ctx.objects.jobIntake(projectId).drop();
  for (const kind of KINDS) {
    const table = jobTable(kind);
    const open = and(eq(table.projectId, projectId), inArray(table.status, OPEN));
    await inRounds(
      () => ctx.db.select({ id: table.id }).from(table).where(open).limit(ROUND),
      async (ids) => {
        await dropOwners(ctx, ids);
        await ctx.db.delete(table).where(inArray(table.id, ids));
      },
    );
  }
  const { jobId, status } = webhookDeliveries;
  const pending = and(eq(webhookDeliveries.projectId, projectId), eq(status, 'pending'));
  await inRounds(
    () => ctx.db.selectDistinct({ id: jobId }).from(webhookDeliveries).where(pending).limit(ROUND),
    async (ids) => {
      await dropOwners(ctx, ids);
      await ctx.db.delete(webhookDeliveries).where(inArray(jobId, ids));
    },
  );
}

async function dropOwners(ctx: Context, ids: string[]): Promise<void> {
  await Promise.all(ids.map((id) => ctx.objects.jobState(id).drop()));
}

async function inRounds(
  find: () => PromiseLike<{ id: string }[]>,
  erase: (ids: string[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const found = await find();
    if (found.length === 0) return;
    await erase(found.map(({ id }) => id));
  }
}
