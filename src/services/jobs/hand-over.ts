import { and, inArray, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { limitOf } from '#src/services/limits/limits.ts';
import type { JobKind, Priority } from '#src/work/job-owner.ts';
import { jobTable, LIMITS, TABLE_NAME } from './kinds.ts';
import { isOpen, OPEN } from './transitions.ts';

interface Announced {
  kind: JobKind;
  jobId: string;
}

export interface HandingOver {
  /**
   * Called for each parse job that waits for a worker, in order of announcement, before its message is sent.
   */
  queueUp(jobId: string, priority: Priority): void;
  /**
   * Called for each open job in that order, with the project's limit of concurrent jobs. `seen` means that
   * the job's slot is released when its owner reports its end.
   */
  admit(kind: JobKind, jobId: string, limit: number | null): 'seen' | 'unseen' | 'wait';
}

export interface HandedOver {
  /** Ids of recorded jobs that were passed to their owners or had already ended. */
  over: Set<string>;
  /** Jobs that wait for admission, with their priorities. */
  waiting: Map<string, Priority>;
}

/**
 * Passes recorded and admitted jobs to their owners and sends their messages. A call may be repeated: owners
 * accept a job once, and a surplus message finds no work.
 */
export async function handOver(
  ctx: Context,
  announced: Announced[],
  handing: HandingOver,
): Promise<HandedOver> {
  const kinds = Map.groupBy(announced, ({ kind }) => kind);
  const done = await Promise.all(
    [...kinds].map(([kind, jobs]) =>
      handOverKind(
        ctx,
        kind,
        jobs.map(({ jobId }) => jobId),
        handing,
      ),
    ),
  );
  return {
    over: new Set(done.flatMap(({ over }) => [...over])),
    waiting: new Map(done.flatMap(({ waiting }) => [...waiting])),
  };
}

async function handOverKind(
  ctx: Context,
  kind: JobKind,
  ids: string[],
  { queueUp, admit }: HandingOver,
): Promise<HandedOver> {
  const table = jobTable(kind);
  const recorded = await ctx.db
    .select({
      id: table.id,
      projectId: table.projectId,
      status: table.status,
      webhooks: table.webhookConfigurations,
      priority: sql<Priority | null>`json_extract(${table.configuration}, '$.priority')`,
      limit: limitOf(ctx, 'concurrent_jobs', sql.raw(`${TABLE_NAME[kind]}.project_id`)),
    })
    .from(table)
    .where(isOneOf(table.id, ids));
  const place = new Map(ids.map((id, at) => [id, at]));
  const open = recorded
    .filter(({ status }) => isOpen(status))
    .toSorted((one, other) => place.get(one.id)! - place.get(other.id)!);
  const places = new Map(open.map(({ id, limit }) => [id, admit(kind, id, limit)]));
  const admitted = open.filter(({ id }) => places.get(id) !== 'wait');
  await Promise.all(
    recorded.map(async ({ id, projectId, webhooks }) => {
      const owner = ctx.objects.jobState(id);
      const place = places.get(id);
      const waiter = place === 'seen' && { projectId };
      if (place && place !== 'wait') await owner.open({ kind, jobId: id, ...LIMITS[kind], ...waiter });
      // Also for a finished job, because its creation has not been reported yet.
      if (webhooks) await owner.notify(id);
    }),
  );
  if (kind === 'parse') for (const { id, priority } of admitted) queueUp(id, priority ?? 'medium');
  await ctx.queues.sendAll(
    admitted.map(({ id, projectId }) =>
      kind === 'parse' ? { type: kind, jobId: id, projectId } : { type: kind, jobId: id },
    ),
  );
  const isWaiting = ({ id }: { id: string }) => places.get(id) === 'wait';
  return {
    over: new Set(recorded.filter((job) => !isWaiting(job)).map(({ id }) => id)),
    waiting: new Map(open.filter(isWaiting).map(({ id, priority }) => [id, priority ?? 'medium'])),
  };
}

/** Returns those of the jobs that have ended or were deleted. */
export async function endedAmong(
  ctx: Context,
  jobs: readonly { kind: JobKind; jobId: string }[],
): Promise<string[]> {
  const kinds = [...Map.groupBy(jobs, ({ kind }) => kind)];
  const open = await Promise.all(
    kinds.map(([kind, some]) => {
      const table = jobTable(kind);
      const ids = some.map(({ jobId }) => jobId);
      return ctx.db
        .select({ id: table.id })
        .from(table)
        .where(and(isOneOf(table.id, ids), inArray(table.status, OPEN)));
    }),
  );
  const isOpenOne = new Set(open.flat().map(({ id }) => id));
  return jobs.flatMap(({ jobId }) => (isOpenOne.has(jobId) ? [] : [jobId]));
}
