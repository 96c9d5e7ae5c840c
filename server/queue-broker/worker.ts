import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';
import { deserialize } from 'node:v8';
import { FairQueue } from './fair-queue.ts';

/** Options of a queue consumer, as configured in wrangler.toml. */
interface ConsumerOptions {
  maxBatchSize?: number;
  maxRetries?: number;
  deadLetterQueue?: string;
}

interface BrokerBindings {
  BROKERS: DurableObjectNamespace<QueueBroker>;
  CONSUMERS: Record<string, ConsumerOptions>;
  /** Service whose `queue` handler receives the message batches. */
  CONSUMER: QueueHandler;
}

/**
 * `queue` handler of a Worker, which other Workers can call with the compatibility flag
 * service_binding_extra_handlers.
 */
interface QueueHandler {
  queue(name: string, messages: Delivered[]): Promise<Partial<Result>>;
}

type Delivered = { id: string; timestamp: Date; attempts: number } & (
  | { body: unknown }
  | { serializedBody: Uint8Array }
);

/** Result of delivering a batch, as the runtime reports it. */
interface Result {
  outcome: string;
  retryBatch: { retry: boolean };
  retryMessages: { msgId: string; delaySeconds?: number }[];
}

type ContentType = 'json' | 'text' | 'bytes' | 'v8';

/** Queue message as plain data, because calls to a Durable Object do not preserve classes. */
export interface Sent {
  id: string;
  timestamp: number;
  contentType: ContentType;
  bytes: Uint8Array;
  delaySeconds: number;
}

interface Waiting extends Sent {
  key: string;
  /** Number of failed deliveries of the message. */
  failures: number;
}

const BATCH_SIZE = 10;
const MAX_RETRIES = 3;

/**
 * Accepts messages from producers in the protocol of workerd's queue binding. `props.queue` is the name of
 * the queue.
 */
export default class QueueSender extends WorkerEntrypoint<BrokerBindings, { queue: string }> {
  override async fetch(request: Request): Promise<Response> {
    const { BROKERS } = this.env;
    const broker = BROKERS.get(BROKERS.idFromName(this.ctx.props.queue));
    const isBatch = new URL(request.url).pathname === '/batch';
    const messages = isBatch
      ? readBatch(request.headers, await request.json())
      : [await readMessage(request)];
    const backlogCount = await broker.enqueue(messages);
    const metrics = { backlogCount, backlogBytes: 0, oldestMessageTimestamp: 0 };
    return Response.json({ metadata: { metrics } });
  }
}

const delayIn = (headers: Headers) => Number(headers.get('X-Msg-Delay-Secs') ?? 0);
const stamp = () => ({ id: crypto.randomUUID(), timestamp: Date.now() });

async function readMessage(request: Request): Promise<Sent> {
  const contentType = (request.headers.get('X-Msg-Fmt') ?? 'v8') as ContentType;
  return { ...stamp(), contentType, bytes: await request.bytes(), delaySeconds: delayIn(request.headers) };
}

function readBatch(
  headers: Headers,
  batch: { messages: { contentType?: ContentType; delaySecs?: number; body: string }[] },
): Sent[] {
  const delaySeconds = delayIn(headers);
  return batch.messages.map(({ contentType = 'v8', delaySecs = delaySeconds, body }) => ({
    ...stamp(),
    contentType,
    bytes: new Uint8Array(Buffer.from(body, 'base64')),
    delaySeconds: delaySecs,
  }));
}

/** Queue whose messages are stored in memory. After a restart, the owners of the messages send them again. */
export class QueueBroker extends DurableObject<BrokerBindings> {
  readonly #name: string;
  readonly #consumer: ConsumerOptions;
  readonly #queue: FairQueue<Waiting>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: DurableObjectState, env: BrokerBindings) {
    super(state, env);
    this.#name = state.id.name!;
    this.#consumer = env.CONSUMERS[this.#name] ?? {};
    this.#queue = new FairQueue(this.#consumer.maxBatchSize ?? BATCH_SIZE);
  }

  /** Adds messages to the queue. Returns the number of waiting messages. */
  async enqueue(messages: Sent[]): Promise<number> {
    for (const message of messages)
      this.#wait({ ...message, key: getOwnerKey(message), failures: 0 }, message.delaySeconds);
    return this.#queue.backlog;
  }

  #wait(message: Waiting, delaySeconds: number): void {
    const add = () => {
      this.#queue.add(message);
      this.#schedule(0);
    };
    if (delaySeconds > 0) setTimeout(add, delaySeconds * 1000);
    else add();
  }

  /** Schedules a delivery. Messages that arrive before it starts are delivered together. */
  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#deliverAll(), delayMs);
  }

  #deliverAll(): void {
    for (let batch = this.#queue.take(); batch; batch = this.#queue.take()) {
      const { messages, done } = batch;
      void this.#deliver(messages).finally(() => {
        done();
        this.#schedule(0);
      });
    }
    const later = this.#queue.retryInMs;
    if (later !== undefined) this.#schedule(later);
  }

  async #deliver(messages: Waiting[]): Promise<void> {
    const delivered: Delivered[] = messages.map(({ id, timestamp, contentType, bytes, failures }) => ({
      id,
      timestamp: new Date(timestamp),
      attempts: failures + 1,
      ...(contentType === 'v8' ? { serializedBody: bytes } : { body: decode(contentType, bytes) }),
    }));
    const result = await this.env.CONSUMER.queue(this.#name, delivered).catch(
      (): Partial<Result> => ({
        outcome: 'exception',
      }),
    );
    const retries = new Map(result.retryMessages?.map(({ msgId, delaySeconds }) => [msgId, delaySeconds]));
    const isAllFailed = result.outcome !== 'ok' || result.retryBatch?.retry === true;
    for (const message of messages) {
      if (isAllFailed || retries.has(message.id)) await this.#fail(message, retries.get(message.id) ?? 0);
    }
  }

  async #fail(message: Waiting, delaySeconds: number): Promise<void> {
    const failures = message.failures + 1;
    const { maxRetries = MAX_RETRIES, deadLetterQueue } = this.#consumer;
    if (failures <= maxRetries) return this.#wait({ ...message, failures }, delaySeconds);
    if (!deadLetterQueue) return;
    const { BROKERS } = this.env;
    await BROKERS.get(BROKERS.idFromName(deadLetterQueue)).enqueue([{ ...message, delaySeconds: 0 }]);
  }
}

function decode(contentType: Exclude<ContentType, 'v8'>, bytes: Uint8Array): unknown {
  if (contentType === 'bytes') return bytes;
  const text = new TextDecoder().decode(bytes);
  return contentType === 'json' ? JSON.parse(text) : text;
}

/**
 * Returns the key by which messages take turns. It is the pipeline id if the message has one, otherwise the
 * project id or job id.
 */
function getOwnerKey({ contentType, bytes }: Sent): string {
  try {
    const body = (contentType === 'v8' ? deserialize(bytes) : decode(contentType, bytes)) as Record<
      string,
      unknown
    >;
    return String(body.pipelineId ?? body.projectId ?? body.jobId ?? '');
  } catch {
    return '';
  }
}
