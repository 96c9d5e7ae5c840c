import type { Context } from '#src/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { jobTable, LIMITS } from './kinds.ts';
import { isOpen } from './transitions.ts';

interface Announced {
  kind: JobKind;
  jobId: string;
}

/**
 * Gives those jobs to their owners that are recorded, and sends their messages; returns their ids. May be
 * repeated: an owner takes a job on once, and a message too many finds nothing to do.
 */
export async function handOver(ctx: Context, announced: Announced[]): Promise<Set<string>> {
  const kinds = Map.groupBy(announced, ({ kind }) => kind);
  const done = await Promise.all(
    [...kinds].map(([kind, jobs]) =>
      handOverKind(
        ctx,
        kind,
        jobs.map(({ jobId }) => jobId),
      ),
    ),
  );
  return new Set(done.flat());
}

async function handOverKind(ctx: Context, kind: JobKind, ids: string[]): Promise<string[]> {
  const table = jobTable(kind);
  const recorded = await ctx.db
    .select({ id: table.id, status: table.status, webhooks: table.webhookConfigurations })
    .from(table)
    .where(isOneOf(table.id, ids));
  const open = recorded.filter(({ status }) => isOpen(status));
  await Promise.all(
    recorded.map(async ({ id, status, webhooks }) => {
      const owner = ctx.objects.jobState(id);
      if (isOpen(status)) await owner.open({ kind, jobId: id, ...LIMITS[kind] });
      // Also of a job that is over already: nobody has told of its creation yet.
      if (webhooks) await owner.notify(id);
    }),
  );
  await ctx.queues.sendAll(open.map(({ id }) => ({ type: kind, jobId: id })));
  return recorded.map(({ id }) => id);
}
