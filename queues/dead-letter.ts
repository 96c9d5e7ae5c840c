import type { Context } from '../src/context.ts';
import { buryDeliveries } from '../src/services/webhooks/deliver-due.ts';
import type { Message } from './messages.ts';

/** A message that failed every time: what it was about is ended with that reason, so nothing disappears. */
export async function deadLetter(ctx: Context, message: Message): Promise<void> {
  ctx.log.error('dead letter', { ...message });
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
      return ctx.objects
        .jobState(message.jobId)
        .fail(null, 'engine_error: Taking up the job failed every time it was tried.');
    case 'deliver-webhook':
      return buryDeliveries(ctx, message.jobId, 'Taking up the delivery failed every time it was tried.');
  }
}
