import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { PageQuota } from '#src/ingest/quota.ts';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import { createPageQuota, getPageUsage } from '#src/services/limits/pages.ts';
import { hasPendingDeliveries } from '#src/services/webhooks/deliveries.ts';
import { ClaimLost, type HeldLease, holdLease } from '#src/work/held-lease.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import type { Job } from './kinds.ts';
import { type Ending, findJob, markRunning, settleJob } from './transitions.ts';

/** Result of a finished job, as it is written to the database. */
export type FinishedWork = Pick<Ending, 'columns' | 'result' | 'partial' | 'rowsToInsert'>;

/**
 * Runs one attempt of a job: claims it, performs its work while the owner wants it, and writes the result.
 */
export async function runJob<Row extends Job>(
  ctx: Context,
  kind: JobKind,
  jobId: string,
  perform: (ctx: Context, job: Row, hold: HeldLease, quota: JobPages) => Promise<FinishedWork>,
): Promise<void> {
  const owner = ctx.objects.jobState(jobId);
  const consumer = crypto.randomUUID();
  const claim = await owner.claim(consumer);
  if (!claim.go) return;
  const hold = holdLease(consumer, (step) => owner.heartbeat(consumer, step));
  let job: Job | undefined;
  let pages: JobPages | undefined;
  try {
    const running = await markRunning(ctx, kind, jobId, claim.attempt);
    // The job has ended or was never inserted, so there is no work to do.
    if (!running) {
      // An earlier attempt may have written the final status and crashed before its webhook deliveries were
      // started.
      if (await hasPendingDeliveries(ctx, jobId)) await owner.notify(jobId);
      return await owner.finish(consumer);
    }
    job = running.job;
    if (running.events) await owner.notify(jobId);
    pages = new JobPages(running.pages && createPageQuota(ctx, job.projectId, running.pages));
    const done = await perform(ctx, job as Row, hold, pages);
    await hold.checkpoint('writing');
    const end = { ...done, status: 'COMPLETED', attempt: claim.attempt } as const;
    const { settled, events } = await settleJob(ctx, kind, jobId, end, job);
    // The job is complete, so its pages count towards the daily quota even if a later step fails.
    if (settled) pages.keep();
    else await deleteOrphanedResult(ctx, kind, job);
    if (settled && events) await owner.notify(jobId);
    await owner.finish(consumer);
  } catch (error) {
    if (error instanceof ClaimLost || hold.signal.aborted) {
      if (job) await deleteOrphanedResult(ctx, kind, job);
      return;
    }
    const facts = { kind, jobId, attempt: claim.attempt, error: getErrorMessage(error) };
    ctx.log.warn('job attempt failed', facts);
    count('sluice_job_attempts_failed_total', { kind });
    if (isPermanent(error)) await owner.fail(consumer, getFailureMessage(error));
    else await owner.release(consumer, getFailureMessage(error), getRetryAfter(error));
  } finally {
    hold.end();
    await pages?.end();
  }
}

/**
 * Pages that an attempt has taken from the project's daily quota. They are returned unless the attempt stores
 * a result.
 */
export class JobPages {
  readonly #quota: PageQuota | undefined;
  #taken = 0;

  constructor(quota: PageQuota | undefined) {
    this.#quota = quota;
  }

  /** Throws LimitReached if the daily quota is known to be used up. Called before any page is read. */
  require(): void {
    this.#quota?.require();
  }

  /** Takes pages from the daily quota. Throws LimitReached if too few pages are left. */
  async take(pages: number): Promise<void> {
    const [refusal] = (await this.#quota?.take([pages])) ?? [];
    if (refusal) throw refusal;
    this.#taken += pages;
  }

  keep(): void {
    this.#taken = 0;
  }

  async end(): Promise<void> {
    await this.#quota?.refund(this.#taken);
  }
}

/** Returns the pages that work outside of jobs may take from the project's daily quota. */
export async function openJobPages(ctx: Context, projectId: string): Promise<JobPages> {
  const { used, limit } = await getPageUsage(ctx, projectId);
  return new JobPages(
    limit === null ? undefined : createPageQuota(ctx, projectId, { limit, left: limit - used }),
  );
}

/** Deletes the stored result of a job that was deleted during its work. */
async function deleteOrphanedResult(ctx: Context, kind: JobKind, job: Job): Promise<void> {
  if (await findJob(ctx, kind, job.id)) return;
  await ctx.bucket.delete(keys.jobResult(job.projectId, job.id));
}

const isPermanent = (error: unknown) => error instanceof DomainError && !error.retryable;
const getRetryAfter = (error: unknown) => (error instanceof Upstream ? error.retryAfter : undefined);

/** Returns the error message for clients. The text of an unexpected error is not shown to them. */
function getFailureMessage(error: unknown): string {
  return error instanceof DomainError ? error.message : 'engine_error: Something went wrong on our side.';
}
