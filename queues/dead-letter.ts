import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { keepDeadLetter } from '#src/services/operating/dead-letters.ts';
import type { Message } from '#src/work/messages.ts';

/** What a letter says that it is whose message this release cannot read. */
const UNREADABLE = 'unreadable';

const asRecord = z.record(z.string(), z.unknown());
const typed = z.looseObject({ type: z.string() });

/**
 * A message that failed every time is kept for the operator, and what it was about is ended with that reason, unless
 * its owner goes on. `id`: the platform's, the same when the message comes twice.
 */
export async function deadLetter(ctx: Context, id: string, message: Message): Promise<void> {
  ctx.log.error('dead letter', { id, ...message });
  await keepDeadLetter(ctx, id, message.type, message);
  switch (message.type) {
    case 'sync-pipeline':
      return ctx.objects.pipelineSync(message.pipelineId).planFailed(message.generation, {
        message: 'Finding out what changed failed every time it was tried.',
        step: 'MANAGED_INGESTION',
      });
    case 'ingest-file':
      return ctx.objects.pipelineSync(message.pipelineId).giveUp(message.generation, message.itemId, {
        message: 'Taking up the work failed every time it was tried.',
        step: 'INGESTION',
      });
    case 'extract':
    case 'classify':
    case 'parse':
    case 'deliver-webhook':
      // Their owner sends another message, and ends what nobody takes up: this one may be long out of date.
      return;
  }
}

/** A message that no consumer could read is kept as it is, for a release that can. */
export async function unreadDeadLetter(ctx: Context, id: string, body: unknown): Promise<void> {
  const message = asRecord.safeParse(body).data ?? { body };
  const type = typed.safeParse(body).data?.type ?? UNREADABLE;
  ctx.log.error('unreadable dead letter', { id });
  await keepDeadLetter(ctx, id, type, message);
}
