import { and, inArray, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { selectLimit } from '#src/services/limits/limits.ts';
import type { JobKind, Priority } from '#src/work/job-owner.ts';
import { ATTEMPT_LIMITS, getJobTable, TABLE_NAME } from './kinds.ts';
import { isOpen, OPEN_STATUSES } from './transitions.ts';

interface AnnouncedJob {
  kind: JobKind;
  jobId: string;
}

export interface HandOverCallbacks {
  /**
   * Called for each parse job that waits for a worker, before its queue message is sent. The calls follow the
   * order in which the jobs were announced.
   */
  enqueue(jobId: string, priority: Priority): void;
  /**
   * Decides whether an unfinished job may start, given the project's limit of concurrent jobs. Called in the
   * order of announcement. `wait` means that the job must wait. `seen` means that the job's slot is released
   * when its owner reports the end.
   */
  admit(kind: JobKind, jobId: string, limit: number | null): 'seen' | 'unseen' | 'wait';
}

export interface HandOverResult {
  /** Ids of stored jobs that were passed to their owning Durable Objects or had already ended. */
  handedOver: Set<string>;
  /** Priorities of the jobs that must wait because of the project's limit of concurrent jobs, by job id. */
  waiting: Map<string, Priority>;
}

/**
 * Passes stored jobs to their owning Durable Objects and sends their queue messages. The function can be
 * called again. Durable Objects accept a job once, and extra messages find no work.
 */
export async function handOver(
  ctx: Context,
  announced: AnnouncedJob[],
  callbacks: HandOverCallbacks,
): Promise<HandOverResult> {
  const kinds = Map.groupBy(announced, ({ kind }) => kind);
  const done = await Promise.all(
    [...kinds].map(([kind, jobs]) =>
      handOverKind(
        ctx,
        kind,
        jobs.map(({ jobId }) => jobId),
        callbacks,
      ),
    ),
  );
  return {
    handedOver: new Set(done.flatMap(({ handedOver: over }) => [...over])),
    waiting: new Map(done.flatMap(({ waiting }) => [...waiting])),
  };
}

async function handOverKind(
  ctx: Context,
  kind: JobKind,
  ids: string[],
  { enqueue: queueUp, admit }: HandOverCallbacks,
): Promise<HandOverResult> {
  const table = getJobTable(kind);
  const recorded = await ctx.db
    .select({
      id: table.id,
      projectId: table.projectId,
      status: table.status,
      webhooks: table.webhookConfigurations,
      // Jobs of a batch have a low priority, so that jobs that a person waits for start first.
      priority: sql<Priority | null>`coalesce(json_extract(${table.configuration}, '$.priority'),
        iif(${table.batchId} is null, null, 'low'))`,
      limit: selectLimit(ctx, 'concurrent_jobs', sql.raw(`${TABLE_NAME[kind]}.project_id`)),
    })
    .from(table)
    .where(and(isInList(table.id, ids), isInNoDeletedBatch(table.batchId)));
  const place = new Map(ids.map((id, at) => [id, at]));
  const open = recorded
    .filter(({ status }) => isOpen(status))
    .toSorted((one, other) => place.get(one.id)! - place.get(other.id)!);
  const decisions = new Map(open.map(({ id, limit }) => [id, admit(kind, id, limit)]));
  const admitted = open.filter(({ id }) => decisions.get(id) !== 'wait');
  await Promise.all(
    recorded.map(async ({ id, projectId, webhooks }) => {
      const owner = ctx.objects.jobState(id);
      const place = decisions.get(id);
      const waiter = place === 'seen' && { projectId };
      if (place && place !== 'wait')
        await owner.open({ kind, jobId: id, ...ATTEMPT_LIMITS[kind], ...waiter });
      // Webhooks are notified of a finished job too, because its creation has not been reported yet.
      if (webhooks) await owner.notify(id);
    }),
  );
  if (kind === 'parse') for (const { id, priority } of admitted) queueUp(id, priority ?? 'medium');
  await ctx.queues.sendAll(
    admitted.map(({ id, projectId }) =>
      kind === 'parse' ? { type: kind, jobId: id, projectId } : { type: kind, jobId: id },
    ),
  );
  const isWaiting = ({ id }: { id: string }) => decisions.get(id) === 'wait';
  return {
    handedOver: new Set(recorded.filter((job) => !isWaiting(job)).map(({ id }) => id)),
    waiting: new Map(open.filter(isWaiting).map(({ id, priority }) => [id, priority ?? 'medium'])),
  };
}

/** Returns the ids of the jobs that have ended or were deleted. */
export async function findEndedJobs(
  ctx: Context,
  jobs: readonly { kind: JobKind; jobId: string }[],
): Promise<string[]> {
  const kinds = [...Map.groupBy(jobs, ({ kind }) => kind)];
  const open = await Promise.all(
    kinds.map(([kind, some]) => {
      const table = getJobTable(kind);
      const ids = some.map(({ jobId }) => jobId);
      return ctx.db
        .select({ id: table.id })
        .from(table)
        .where(
          and(
            isInList(table.id, ids),
            inArray(table.status, OPEN_STATUSES),
            isInNoDeletedBatch(table.batchId),
          ),
        );
    }),
  );
  const isOpenOne = new Set(open.flat().map(({ id }) => id));
  return jobs.flatMap(({ jobId }) => (isOpenOne.has(jobId) ? [] : [jobId]));
}
