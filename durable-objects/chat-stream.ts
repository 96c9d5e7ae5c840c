import { type Recording, recordAnswer } from '#src/chat/sessions/record-answer.ts';
import { deleteStream } from '#src/chat/sessions/streams.ts';
import { type Context, createContext } from '#src/context/context.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { ChatOrder, ChatOwner, ChatProtocol } from '#src/work/chat-owner.ts';
import { TracedObject } from './traced-object.ts';

/** Storage key under which the object stores the id of its answer's row in the database. */
const STREAM_KEY = 'stream';
/** Time in milliseconds for which clients can read an answer again after it has finished. */
const RETENTION_MS = 30_000;
/**
 * Maximum duration of an answer in milliseconds. The process that generates the answer must have ended by
 * then.
 */
const MAX_DURATION_MS = 20 * 60_000;

/**
 * Generates one answer of a chat and keeps it in memory, so that clients can reconnect without losing text. A
 * client that reconnects reads the answer from its start. If the process ends, the answer is lost, but the
 * question stays in the chat session.
 */
export class ChatStream extends TracedObject<Bindings> implements ChatOwner {
  readonly #context: Context;
  #recording: Recording | undefined;
  #isDropped = false;
  #isStopRequested = false;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#context = createContext(env, state, { object: 'chat-stream' });
  }

  async begin(order: ChatOrder, protocol: ChatProtocol): Promise<ReadableStream<Uint8Array>> {
    if (this.#recording) throw new Conflict('This answer has already started.');
    if (order.isResumable) {
      await this.ctx.storage.put(STREAM_KEY, order.streamId);
      await this.objectAlarm.setAt(Date.now() + MAX_DURATION_MS);
    }
    this.#recording = recordAnswer(this.#context, order);
    if (this.#isStopRequested) await this.stop();
    if (order.isResumable) this.ctx.waitUntil(this.#forgetAfter(this.#recording));
    return this.#recording.read(protocol);
  }

  async resume(protocol: ChatProtocol): Promise<ReadableStream<Uint8Array> | undefined> {
    return this.#recording?.read(protocol);
  }

  /** Stops the answer. If the answer has not started yet, it stops as soon as it starts. */
  async stop(): Promise<void> {
    this.#isStopRequested = true;
    this.#recording?.stop('The answer was stopped.');
  }

  async drop(): Promise<void> {
    this.#isDropped = true;
    this.#recording?.stop('The conversation was deleted.');
    this.#recording = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    const streamId = await this.ctx.storage.get<string>(STREAM_KEY);
    if (streamId) await deleteStream(this.#context, streamId);
    this.#recording = undefined;
    await this.ctx.storage.deleteAll();
  }

  async #forgetAfter(recording: Recording): Promise<void> {
    await recording.ended;
    if (!this.#isDropped) await this.objectAlarm.setAt(Date.now() + RETENTION_MS);
  }
}
