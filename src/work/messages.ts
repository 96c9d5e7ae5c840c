import { z } from 'zod';
import { currentTrace, traceparentOf } from '#src/lib/trace.ts';
import type { Bindings } from '#src/settings/env.ts';

const inSync = { pipelineId: z.string(), generation: z.number().int() };

/** In which trace it was sent. What it was before has none, and what it may be later is no reason to lose a message. */
const traceparent = z.string().optional().catch(undefined);

/**
 * Every message there is. Messages only name their work: what is to be done is asked of its owner when the
 * message arrives, so a message that comes late, twice or out of order does no harm.
 */
const schemas = {
  /** Compare the pipeline's files with its index and hand the differences to the pipeline's owner. */
  'sync-pipeline': z.object({ type: z.literal('sync-pipeline'), ...inSync }),
  /** Do an item of the run (a file, a range of its pages, a document, a removal), or several that the owner calls by one name. */
  'ingest-file': z.object({ type: z.literal('ingest-file'), ...inSync, itemId: z.string() }),
  /** Do one job. Its owner knows whether it is still wanted. */
  extract: z.object({ type: z.literal('extract'), jobId: z.string() }),
  classify: z.object({ type: z.literal('classify'), jobId: z.string() }),
  /** A turn for one of the project's parse jobs. Sent again by a job's owner, it names no project. */
  parse: z.object({ type: z.literal('parse'), jobId: z.string(), projectId: z.string().optional() }),
  /** Make the deliveries of a job that are due. */
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
  schemas.parse,
  schemas['deliver-webhook'],
]);

/** What a message says of itself, whatever else it says. */
export const envelope = z.object({ traceparent });

/** The message as it is sent: in the trace of whoever sends it. */
function enveloped(message: Message) {
  const trace = currentTrace();
  return trace ? { ...message, traceparent: traceparentOf(trace) } : message;
}

const queueOf = {
  // Planning is short, and somebody may wait for what it finds.
  'sync-pipeline': 'INTERACTIVE_QUEUE',
  'ingest-file': 'INGESTION_QUEUE',
  extract: 'EXTRACT_QUEUE',
  classify: 'CLASSIFY_QUEUE',
  // A parse job is what an extract job begins with.
  parse: 'EXTRACT_QUEUE',
  'deliver-webhook': 'WEBHOOKS_QUEUE',
} as const satisfies Record<MessageType, keyof Bindings>;

/** A platform limit: messages per sendBatch call. */
const BATCH_LIMIT = 100;

/** Queues take a delay of at most a day. */
const LONGEST_DELAY_SECONDS = 86_400;

export interface Sender {
  send(message: Message, options?: { delaySeconds?: number }): Promise<void>;
  /** All messages of one type, in as few calls as the platform allows. */
  sendAll<Type extends MessageType>(messages: Message<Type>[]): Promise<void>;
  /** Work of a sync that somebody waits for: it passes what lies in the queue of large syncs. */
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
      await env[queueOf[message.type]].send(enveloped(message), { delaySeconds, contentType: 'json' });
    },
    async sendAll(messages) {
      if (messages.length > 0) await sendTo(env[queueOf[messages[0]!.type]], messages);
    },
    sendFirst: (messages) => sendTo(env.INTERACTIVE_QUEUE, messages),
  };
}
