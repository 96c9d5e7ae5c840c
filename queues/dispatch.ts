import { type Context, createContext } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { markOperation } from '#src/lib/schema/operation-marks.ts';
import { continueTrace, runInTrace } from '#src/lib/trace.ts';
import { count, observe } from '#src/metrics/meter.ts';
import type { Bindings } from '#src/settings/env.ts';
import { secondsUntilRetry } from '#src/work/backoff.ts';
import { envelope, type Message, type MessageType, message as messageSchema } from '#src/work/messages.ts';
import { classify } from './classify.ts';
import { handleDeadLetter, handleUnreadableDeadLetter } from './dead-letter.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { evaluate } from './evaluate.ts';
import { extract } from './extract.ts';
import { ingestFile } from './ingest-file.ts';
import { parse } from './parse.ts';
import { sheets } from './sheets.ts';
import { split } from './split.ts';
import { syncPipeline } from './sync-pipeline.ts';

type Delivered = MessageBatch['messages'][number];
/** `isInteractive` is true if the message comes from the queue of the work that users wait for. */
type Consumer<Type extends MessageType> = (
  ctx: Context,
  message: Message<Type>,
  isInteractive: boolean,
) => Promise<void>;

const consumers = {
  'sync-pipeline': syncPipeline,
  'ingest-file': ingestFile,
  extract,
  classify,
  split,
  sheets,
  parse,
  evaluate,
  'deliver-webhook': deliverWebhook,
} satisfies { [Type in MessageType]: Consumer<Type> };

/** Suffix of the dead letter queue's name. The rest of the name depends on the environment. */
const DEAD_LETTER_SUFFIX = '-dead-letter';
const INTERACTIVE_SUFFIX = '-interactive';

/**
 * Passes all messages of a batch to their consumers concurrently. A message that fails does not affect the
 * others.
 */
export async function dispatch(
  batch: MessageBatch,
  env: Bindings,
  execution: ExecutionContext,
): Promise<void> {
  const ctx = createContext(env, execution, { queue: batch.queue });
  await Promise.all(
    batch.messages.map((delivered) => {
      const { traceparent } = envelope.safeParse(delivered.body).data ?? {};
      return runInTrace(continueTrace(traceparent), () =>
        markOperation(
          env,
          () => `message ${describeMessage(delivered.body)}`,
          () => consumeDelivered(ctx, batch.queue, delivered),
        ),
      );
    }),
  );
  ctx.metrics.flush();
}

/** Returns the type and ids of a message, for the supervisor's log. */
function describeMessage(body: unknown): string {
  const { data } = messageSchema.safeParse(body);
  if (!data) return 'that cannot be read';
  const ids = Object.entries(data).filter(([name]) => /id$/i.test(name));
  return [data.type, ...ids.map(([name, value]) => `${name}=${value}`)].join(' ');
}

async function consumeDelivered(ctx: Context, queue: string, delivered: Delivered): Promise<void> {
  const start = Date.now();
  const { data: message } = messageSchema.safeParse(delivered.body);
  const type = message?.type ?? 'unreadable';
  const countOutcome = (outcome: string) => count('sluice_messages_total', { type, outcome });
  observe('sluice_message_wait_seconds', { type }, (start - delivered.timestamp.getTime()) / 1000);
  const isDead = queue.endsWith(DEAD_LETTER_SUFFIX);
  try {
    if (message) {
      const isInteractive = queue.endsWith(INTERACTIVE_SUFFIX);
      await (isDead ? handleDeadLetter(ctx, delivered.id, message) : consume(ctx, message, isInteractive));
    }
    // An unreadable message may come from a later release, before a rollback to this one. It is retried and
    // finally stored.
    else if (isDead) await handleUnreadableDeadLetter(ctx, delivered.id, delivered.body);
    else throw new Error('This release cannot read the message.');
    countOutcome(message ? 'done' : 'unreadable');
    delivered.ack();
  } catch (error) {
    const { attempts } = delivered;
    ctx.log.warn('message failed', { type, attempts, error: getErrorMessage(error) });
    countOutcome('again');
    delivered.retry({ delaySeconds: Math.ceil(secondsUntilRetry(attempts)) });
  }
  observe('sluice_message_seconds', { type }, (Date.now() - start) / 1000);
}

function consume(ctx: Context, message: Message, isInteractive: boolean): Promise<void> {
  // The table `consumers` has the matching consumer for each message type, but TypeScript cannot infer this.
  const consumer = consumers[message.type] as Consumer<MessageType>;
  return consumer(ctx, message, isInteractive);
}
