import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { storeDeadLetter } from '#src/services/operating/dead-letters.ts';
import type { Message } from '#src/work/messages.ts';

/** Type under which a message is stored if this release cannot read it. */
const UNREADABLE = 'unreadable';

const recordSchema = z.record(z.string(), z.unknown());
const typedSchema = z.looseObject({ type: z.string() });

/**
 * Stores a message that failed on every attempt, and fails the work that it was about. Jobs and webhook
 * deliveries continue, because their owners resend messages. `id` is the queue's message id, which is the
 * same if the message is delivered twice.
 */
export async function handleDeadLetter(ctx: Context, id: string, message: Message): Promise<void> {
  ctx.log.error('dead letter', { id, ...message });
  await storeDeadLetter(ctx, id, message.type, message);
  switch (message.type) {
    case 'sync-pipeline':
      return ctx.objects.pipelineSync(message.pipelineId).planFailed(message.generation, {
        message:
          'The sync could not determine what changed, because every attempt failed. Start another sync.',
        step: 'MANAGED_INGESTION',
      });
    case 'ingest-file':
      return ctx.objects.pipelineSync(message.pipelineId).giveUp(message.generation, message.itemId, {
        message: 'Indexing could not be started, because every attempt failed. Start another sync.',
        step: 'INGESTION',
      });
    case 'extract':
    case 'classify':
    case 'split':
    case 'sheets':
    case 'parse':
    case 'evaluate':
    case 'deliver-webhook':
      // The Durable Object that owns the work sends another message or ends the work. This message may be
      // outdated.
      return;
  }
}

/** Stores an unreadable message unchanged, so that a release that can read it can process it. */
export async function handleUnreadableDeadLetter(ctx: Context, id: string, body: unknown): Promise<void> {
  const message = recordSchema.safeParse(body).data ?? { body };
  const type = typedSchema.safeParse(body).data?.type ?? UNREADABLE;
  ctx.log.error('unreadable dead letter', { id });
  await storeDeadLetter(ctx, id, type, message);
}
