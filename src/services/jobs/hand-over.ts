import { sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import type { JobKind, Priority } from '#src/work/job-owner.ts';
import { jobTable, LIMITS } from './kinds.ts';
import { isOpen } from './transitions.ts';

interface Announced {
  kind: JobKind;
  jobId: string;
}

/** Told of each parse job that waits for a worker, in the order of their announcement, before its message is sent. */
export type QueueUp = (jobId: string, priority: Priority) => void;

/**
 * Gives those jobs to their owners that are recorded, and sends their messages; returns their ids. May be
 * repeated: an owner takes a job on once, and a message too many finds nothing to do.
 */
export async function handOver(ctx: Context, announced: Announced[], queueUp: QueueUp): Promise<Set<string>> {
  const kinds = Map.groupBy(announced, ({ kind }) => kind);
  const done = await Promise.all(
    [...kinds].map(([kind, jobs]) =>
      handOverKind(
        ctx,
        kind,
        jobs.map(({ jobId }) => jobId),
        queueUp,
      ),
    ),
  );
  return new Set(done.flat());
}

async function handOverKind(ctx: Context, kind: JobKind, ids: string[], queueUp: QueueUp): Promise<string[]> {
  const table = jobTable(kind);
  const recorded = await ctx.db
    .select({
      id: table.id,
      projectId: table.projectId,
      status: table.status,
      webhooks: table.webhookConfigurations,
      priority: sql<Priority | null>`json_extract(${table.configuration}, '$.priority')`,
    })
    .from(table)
    .where(isOneOf(table.id, ids));
  const place = new Map(ids.map((id, at) => [id, at]));
  const open = recorded
    .filter(({ status }) => isOpen(status))
    .toSorted((one, other) => place.get(one.id)! - place.get(other.id)!);
  await Promise.all(
    recorded.map(async ({ id, status, webhooks }) => {
      const owner = ctx.objects.jobState(id);
      if (isOpen(status)) await owner.open({ kind, jobId: id, ...LIMITS[kind] });
      // Also of a job that is over already: nobody has told of its creation yet.
      if (webhooks) await owner.notify(id);
    }),
  );
  if (kind === 'parse') for (const { id, priority } of open) queueUp(id, priority ?? 'medium');
  await ctx.queues.sendAll(
    open.map(({ id, projectId }) =>
      kind === 'parse' ? { type: kind, jobId: id, projectId } : { type: kind, jobId: id },
    ),
  );
  return recorded.map(({ id }) => id);
}
