import { asc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type DeadLetter, deadLetters, pipelines } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import { count } from '#src/metrics/meter.ts';
import { isOpenRun } from '#src/services/evaluations/run-state.ts';
import { findRunState } from '#src/services/evaluations/run-tables.ts';
import { findJob, isOpen } from '#src/services/jobs/transitions.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { hasPendingDeliveries } from '#src/services/webhooks/deliveries.ts';
import { MESSAGE_TYPES, type Message, message as messageSchema } from '#src/work/messages.ts';

/** Number of days for which dead letters are stored. */
const RETENTION_DAYS = 30;

/** Stores a message that failed on every attempt. A message that is delivered again is stored only once. */
export async function storeDeadLetter(
  ctx: Context,
  messageId: string,
  type: string,
  message: Record<string, unknown>,
): Promise<void> {
  const id = await derivedId('dead-letter', messageId);
  const isOld = lt(deadLetters.createdAt, new Date(Date.now() - RETENTION_DAYS * DAY_MS));
  const [kept] = await ctx.db.batch([
    ctx.db.insert(deadLetters).values({ id, type, message }).onConflictDoNothing(),
    ctx.db.delete(deadLetters).where(isOld),
  ]);
  // Only known message types become metric labels. Later releases may send unknown types, which are counted
  // as `unreadable`.
  const isKnown = messageSchema.safeParse(message).success;
  if (kept.meta.changes > 0) count('sluice_dead_letters_total', { type: isKnown ? type : 'unreadable' });
}

/**
 * Deletes dead letters whose pipeline or job no longer exists. Messages of unknown types are not deleted,
 * because another release may need them.
 */
export async function deleteUnwantedDeadLetters(ctx: Context): Promise<void> {
  const names = (member: string) => sql`${deadLetters.message} ->> ${member}`;
  const [pipeline, job, run] = [names('pipelineId'), names('jobId'), names('runId')];
  await ctx.db.delete(deadLetters).where(sql`${inArray(deadLetters.type, MESSAGE_TYPES)} and (
    (${pipeline} is not null and not exists (select 1 from pipelines where id = ${pipeline}))
    or (${run} is not null and not exists (select 1 from evaluation_runs where id = ${run})
      and not exists (select 1 from accuracy_runs where id = ${run})
      and not exists (select 1 from evaluation_sweeps where id = ${run}))
    or (${job} is not null
      and not exists (select 1 from extract_jobs where id = ${job})
      and not exists (select 1 from classify_jobs where id = ${job})
      and not exists (select 1 from split_jobs where id = ${job})
      and not exists (select 1 from sheets_jobs where id = ${job})
      and not exists (select 1 from parse_jobs where id = ${job})
      and not exists (select 1 from webhook_deliveries where job_id = ${job})))`);
}

/** Returns a page of dead letters, oldest first. */
export async function getDeadLetterPage(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<DeadLetter>> {
  await requireOperator(ctx);
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  return buildPage(await listDeadLettersAfter(ctx, key, size + 1), size, getDeadLetterKey);
}

export const getDeadLetterKey = (row: DeadLetter) => [row.createdAt.getTime(), row.id] as const;

export function listDeadLettersAfter(
  ctx: Context,
  key: readonly [number, string] | undefined,
  limit: number,
): Promise<DeadLetter[]> {
  return ctx.db.query.deadLetters.findMany({
    where: afterKey([deadLetters.createdAt, deadLetters.id], key, 'asc'),
    orderBy: [asc(deadLetters.createdAt), asc(deadLetters.id)],
    limit,
  });
}

export type ResendOutcome = 'sent' | 'not_wanted';

/**
 * Sends a dead letter again if its work is still needed, and deletes it. Throws Conflict if only another
 * release can read it.
 */
export async function resendDeadLetter(ctx: TenantContext, id: string): Promise<ResendOutcome> {
  await requireOperator(ctx);
  const letter = await ctx.db.query.deadLetters.findFirst({ where: eq(deadLetters.id, id) });
  if (!letter) throw new NotFound('Dead letter', id);
  const outcome = await resend(ctx, letter);
  if (outcome) return outcome;
  throw new Conflict(
    `This release cannot read the message of dead letter ${id}, because a later release sent it.`,
  );
}

/**
 * Sends a dead letter again if its work is still needed, and deletes it. Returns `undefined` if only another
 * release can read the dead letter, which is then kept.
 */
export async function resend(ctx: Context, letter: DeadLetter): Promise<ResendOutcome | undefined> {
  const { data: message } = messageSchema.safeParse(letter.message);
  if (!message) return undefined;
  const isSent = await resumeWork(ctx, message);
  // The dead letter is deleted last, so that it is kept if sending fails.
  await ctx.db.delete(deadLetters).where(eq(deadLetters.id, letter.id));
  return isSent ? 'sent' : 'not_wanted';
}

/**
 * Starts the work of a message again, and returns false if it is no longer needed. The sync run of a message
 * has ended, so another run is started for its work.
 */
async function resumeWork(ctx: Context, message: Message): Promise<boolean> {
  switch (message.type) {
    case 'sync-pipeline':
    case 'ingest-file': {
      const { pipelineId } = message;
      const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) });
      if (!pipeline || pipeline.status === 'DELETING') return false;
      await ctx.objects.pipelineSync(pipelineId).start(pipelineId, { reason: 'request' });
      return true;
    }
    case 'extract':
    case 'classify':
    case 'split':
    case 'sheets':
    case 'parse': {
      const job = await findJob(ctx, message.type, message.jobId);
      if (!job || !isOpen(job.status)) return false;
      // The Durable Object of the job may have deleted its state. Announcing the job opens it again and sends
      // the message.
      await ctx.objects.jobIntake(job.projectId).announce(message.type, job.id);
      return true;
    }
    case 'evaluate': {
      const run = await findRunState(ctx, message.runId);
      if (!run || !isOpenRun(run)) return false;
      await ctx.objects.jobIntake(run.projectId).advanceEvaluation(run.id);
      return true;
    }
    case 'deliver-webhook': {
      if (!(await hasPendingDeliveries(ctx, message.jobId))) return false;
      await ctx.objects.jobState(message.jobId).notify(message.jobId);
      return true;
    }
  }
}
