import { type Context, createContext } from '#src/context.ts';
import type { Bindings } from '#src/env.ts';
import { messageOf } from '#src/errors.ts';
import { secondsUntilRetry } from '#src/work/backoff.ts';
import { classify } from './classify.ts';
import { deadLetter } from './dead-letter.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { extract } from './extract.ts';
import { ingestFile } from './ingest-file.ts';
import { type Message, type MessageType, message as messageSchema } from './messages.ts';
import { parse } from './parse.ts';
import { syncPipeline } from './sync-pipeline.ts';

type Consumer<Type extends MessageType> = (ctx: Context, message: Message<Type>) => Promise<void>;

const consumers = {
  'sync-pipeline': syncPipeline,
  'ingest-file': ingestFile,
  extract,
  classify,
  parse,
  'deliver-webhook': deliverWebhook,
} satisfies { [Type in MessageType]: Consumer<Type> };

/** In every environment the name of the queue of last resort ends like this. */
const DEAD_LETTER = '-dead-letter';

/** Hands each message of a batch to its consumer, all at once; one failing message holds up no other. */
export async function dispatch(
  batch: MessageBatch,
  env: Bindings,
  execution: ExecutionContext,
): Promise<void> {
  const ctx = createContext(env, execution, { queue: batch.queue });
  await Promise.all(
    batch.messages.map(async (envelope) => {
      const parsed = messageSchema.safeParse(envelope.body);
      if (!parsed.success) {
        ctx.log.error('unreadable message dropped', { id: envelope.id });
        envelope.ack();
        return;
      }
      try {
        if (batch.queue.endsWith(DEAD_LETTER)) await deadLetter(ctx, parsed.data);
        else await consume(ctx, parsed.data);
        envelope.ack();
      } catch (error) {
        ctx.log.warn('message failed', {
          type: parsed.data.type,
          attempts: envelope.attempts,
          error: messageOf(error),
        });
        envelope.retry({ delaySeconds: Math.ceil(secondsUntilRetry(envelope.attempts)) });
      }
    }),
  );
}

function consume(ctx: Context, message: Message): Promise<void> {
  // Each consumer takes its own message; the table pairs them by name.
  const consumer = consumers[message.type] as Consumer<MessageType>;
  return consumer(ctx, message);
}
