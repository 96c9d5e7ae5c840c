import { z } from 'zod';
import { currentTrace, formatTraceparent } from '#src/lib/trace.ts';
import type { Bindings } from '#src/settings/env.ts';

const inSync = { pipelineId: z.string(), generation: z.number().int() };

/**
 * Trace context of the sender. Messages of older releases have no trace context. An invalid trace context is
 * ignored, so that the message is not lost.
 */
const traceparent = z.string().optional().catch(undefined);

/**
 * Schemas of all queue messages. A message only names its work, and the consumer asks the owner of the work
 * what to do. Late, repeated and reordered messages therefore do no harm.
 */
const schemas = {
  /**
   * Message to compare the pipeline's files with its index and to report the differences to the pipeline's
   * owner.
   */
  'sync-pipeline': z.object({ type: z.literal('sync-pipeline'), ...inSync }),
  /**
   * Message to process one item of a sync run, such as a file or a removal. The owner may group several items
   * under one name.
   */
  'ingest-file': z.object({ type: z.literal('ingest-file'), ...inSync, itemId: z.string() }),
  /** Message to run one job, if its owner still wants it to run. */
  extract: z.object({ type: z.literal('extract'), jobId: z.string() }),
  classify: z.object({ type: z.literal('classify'), jobId: z.string() }),
  split: z.object({ type: z.literal('split'), jobId: z.string() }),
  sheets: z.object({ type: z.literal('sheets'), jobId: z.string() }),
  /**
   * Message to run one of the project's parse jobs. If a job's owner sends the message again, it names no
   * project.
   */
  parse: z.object({ type: z.literal('parse'), jobId: z.string(), projectId: z.string().optional() }),
  /** Message to evaluate the next questions of a run, if no other consumer does. */
  evaluate: z.object({ type: z.literal('evaluate'), runId: z.string(), projectId: z.string() }),
  /** Message to make the due webhook deliveries of a job. */
  'deliver-webhook': z.object({ type: z.literal('deliver-webhook'), jobId: z.string() }),
};

export type MessageType = keyof typeof schemas;
export const MESSAGE_TYPES = Object.keys(schemas);
export type Message<Type extends MessageType = MessageType> = {
  [T in Type]: z.infer<(typeof schemas)[T]>;
}[Type];

export const message = z.discriminatedUnion('type', [
  schemas['sync-pipeline'],
  schemas['ingest-file'],
  schemas.extract,
  schemas.classify,
  schemas.split,
  schemas.sheets,
  schemas.parse,
  schemas.evaluate,
  schemas['deliver-webhook'],
]);

export const envelope = z.object({ traceparent });

/** Adds the sender's trace context to a queue message. */
function enveloped(message: Message) {
  const trace = currentTrace();
  return trace ? { ...message, traceparent: formatTraceparent(trace) } : message;
}

const queueByMessageType = {
  // Planning a sync run takes little time, and a user may be waiting for its result.
  'sync-pipeline': 'INTERACTIVE_QUEUE',
  'ingest-file': 'INGESTION_QUEUE',
  extract: 'EXTRACT_QUEUE',
  classify: 'CLASSIFY_QUEUE',
  // A split job does the same kind of work as a classify job, and a sheets job mostly parses.
  split: 'CLASSIFY_QUEUE',
  sheets: 'EXTRACT_QUEUE',
  // A parse job does the same work as the first part of an extract job, so both share a queue.
  parse: 'EXTRACT_QUEUE',
  // Consumers of this queue mostly wait. The next questions go to its end, so that jobs come in between.
  evaluate: 'CLASSIFY_QUEUE',
  'deliver-webhook': 'WEBHOOKS_QUEUE',
} as const satisfies Record<MessageType, keyof Bindings>;

/** Maximum number of messages per call of `sendBatch`, set by Cloudflare. */
const BATCH_LIMIT = 100;

/** Maximum delay of a queue message in seconds: one day. */
const LONGEST_DELAY_SECONDS = 86_400;

export interface Sender {
  send(message: Message, options?: { delaySeconds?: number }): Promise<void>;
  /** Sends queue messages of one type in as few calls as Cloudflare allows. */
  sendAll<Type extends MessageType>(messages: Message<Type>[]): Promise<void>;
  /**
   * Sends messages for sync items to a separate queue, because a user is waiting for them. They do not wait
   * behind large syncs.
   */
  sendFirst(messages: Message<'ingest-file'>[]): Promise<void>;
}

export function createSender(env: Bindings): Sender {
  const sendTo = async (queue: Queue, messages: Message[]) => {
    for (let from = 0; from < messages.length; from += BATCH_LIMIT) {
      const batch = messages.slice(from, from + BATCH_LIMIT);
      await queue.sendBatch(batch.map((each) => ({ body: enveloped(each), contentType: 'json' })));
    }
  };
  return {
    async send(message, options) {
      const delaySeconds = Math.min(Math.ceil(options?.delaySeconds ?? 0), LONGEST_DELAY_SECONDS);
      await env[queueByMessageType[message.type]].send(enveloped(message), {
        delaySeconds,
        contentType: 'json',
      });
    },
    async sendAll(messages) {
      if (messages.length > 0) await sendTo(env[queueByMessageType[messages[0]!.type]], messages);
    },
    sendFirst: (messages) => sendTo(env.INTERACTIVE_QUEUE, messages),
  };
}
