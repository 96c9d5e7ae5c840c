import { asc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { DEFAULT_PAGE_SIZE, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { type DeadLetter, deadLetters, pipelines } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import { count } from '#src/metrics/meter.ts';
import { findJob, isOpen } from '#src/services/jobs/transitions.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { hasPendingDeliveries } from '#src/services/webhooks/deliveries.ts';
import { MESSAGE_TYPES, type Message, message as messageSchema } from '#src/work/messages.ts';

/** Days for which dead letters are kept. */
const KEPT_DAYS = 30;

/** Stores a message that failed on every attempt. A repeated one is stored once. */
export async function keepDeadLetter(
  ctx: Context,
  messageId: string,
  type: string,
  message: Record<string, unknown>,
): Promise<void> {
  const id = await derivedId('dead-letter', messageId);
  const isOld = lt(deadLetters.createdAt, new Date(Date.now() - KEPT_DAYS * DAY_MS));
  const [kept] = await ctx.db.batch([
    ctx.db.insert(deadLetters).values({ id, type, message }).onConflictDoNothing(),
    ctx.db.delete(deadLetters).where(isOld),
  ]);
  // Message types of later releases are not used as metric labels.
  const isKnown = messageSchema.safeParse(message).success;
  if (kept.meta.changes > 0) count('sluice_dead_letters_total', { type: isKnown ? type : 'unreadable' });
}

/**
 * Deletes dead letters whose pipeline or job no longer exists. Messages of other releases are kept, because
 * their content is unknown.
 */
export async function forgetUnwanted(ctx: Context): Promise<void> {
  const names = (member: string) => sql`${deadLetters.message} ->> ${member}`;
  const [pipeline, job] = [names('pipelineId'), names('jobId')];
  await ctx.db.delete(deadLetters).where(sql`${inArray(deadLetters.type, MESSAGE_TYPES)} and (
    (${pipeline} is not null and not exists (select 1 from pipelines where id = ${pipeline}))
    or (${job} is not null
      and not exists (select 1 from extract_jobs where id = ${job})
      and not exists (select 1 from classify_jobs where id = ${job})
      and not exists (select 1 from parse_jobs where id = ${job})
      and not exists (select 1 from webhook_deliveries where job_id = ${job})))`);
}

/** Lists dead letters, oldest first. */
export async function pageOfDeadLetters(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<DeadLetter>> {
  await requireOperator(ctx);
  const key = readPageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  return pageOf(await deadLettersAfter(ctx, key, size + 1), size, keyOf);
}

export const keyOf = (row: DeadLetter) => [row.createdAt.getTime(), row.id] as const;

export function deadLettersAfter(
  ctx: Context,
  key: readonly [number, string] | undefined,
  limit: number,
): Promise<DeadLetter[]> {
  return ctx.db.query.deadLetters.findMany({
    where: following([deadLetters.createdAt, deadLetters.id], key, 'asc'),
    orderBy: [asc(deadLetters.createdAt), asc(deadLetters.id)],
    limit,
  });
}

export type SentAgain = 'sent' | 'not_wanted';

/** Sends a dead letter again if its work is still wanted, and deletes it. */
export async function sendDeadLetterAgain(ctx: TenantContext, id: string): Promise<SentAgain> {
  await requireOperator(ctx);
  const letter = await ctx.db.query.deadLetters.findFirst({ where: eq(deadLetters.id, id) });
  if (!letter) throw new NotFound('Dead letter', id);
  const outcome = await sendAgain(ctx, letter);
  if (outcome) return outcome;
  throw new Conflict(
    `This release cannot read the message of dead letter ${id}, which a later one has sent.`,
  );
}

/** Returns undefined if the letter stays because only another release can read it. */
export async function sendAgain(ctx: Context, letter: DeadLetter): Promise<SentAgain | undefined> {
  const { data: message } = messageSchema.safeParse(letter.message);
  if (!message) return undefined;
  const isSent = await resume(ctx, message);
  // Deleted after sending, so that a failed attempt keeps the letter.
  await ctx.db.delete(deadLetters).where(eq(deadLetters.id, letter.id));
  return isSent ? 'sent' : 'not_wanted';
}

/** The run of the message has ended, so another run continues its work. */
async function resume(ctx: Context, message: Message): Promise<boolean> {
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
    case 'parse': {
      const job = await findJob(ctx, message.type, message.jobId);
      if (!job || !isOpen(job.status)) return false;
      // The intake opens the job's owner again, which may have forgotten it, and sends the message.
      await ctx.objects.jobIntake(job.projectId).announce(message.type, job.id);
      return true;
    }
    case 'deliver-webhook': {
      if (!(await hasPendingDeliveries(ctx, message.jobId))) return false;
      await ctx.objects.jobState(message.jobId).notify(message.jobId);
      return true;
    }
  }
}
