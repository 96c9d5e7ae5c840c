import { type Recording, recordAnswer } from '#src/chat/sessions/record-answer.ts';
import { forgetStream } from '#src/chat/sessions/streams.ts';
import { type Context, createContext } from '#src/context/context.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { ChatOrder, ChatOwner, ChatProtocol } from '#src/work/chat-owner.ts';
import { TracedObject } from './traced-object.ts';

/** Storage key that marks an object whose row exists in the database. */
const STREAM = 'stream';
/** Milliseconds for which a finished answer can be read again. */
const KEPT_MS = 30_000;
/** Maximum duration of an answer in milliseconds. After that its process must have ended. */
const LONGEST_MS = 20 * 60_000;

/**
 * Generates one answer and keeps it in memory, so readers can reconnect without losing text. A reconnecting
 * reader starts at the beginning. If the process ends, the answer is lost, but the question stays in the
 * session.
 */
export class ChatStream extends TracedObject<Bindings> implements ChatOwner {
  readonly #context: Context;
  #recording: Recording | undefined;
  #isDropped = false;
  #isUnwanted = false;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#context = createContext(env, state, { object: 'chat-stream' });
  }

  async begin(order: ChatOrder, protocol: ChatProtocol): Promise<ReadableStream<Uint8Array>> {
    if (this.#recording) throw new Conflict('This answer has begun already.');
    if (order.isResumable) {
      await this.ctx.storage.put(STREAM, order.streamId);
      await this.objectAlarm.setAt(Date.now() + LONGEST_MS);
    }
    this.#recording = recordAnswer(this.#context, order);
    if (this.#isUnwanted) await this.stop();
    if (order.isResumable) this.ctx.waitUntil(this.#forgetAfter(this.#recording));
    return this.#recording.read(protocol);
  }

  async resume(protocol: ChatProtocol): Promise<ReadableStream<Uint8Array> | undefined> {
    return this.#recording?.read(protocol);
  }

  /** Stops the answer. A client may stop it before it has begun. */
  async stop(): Promise<void> {
    this.#isUnwanted = true;
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
    const streamId = await this.ctx.storage.get<string>(STREAM);
    if (streamId) await forgetStream(this.#context, streamId);
    this.#recording = undefined;
    await this.ctx.storage.deleteAll();
  }

  async #forgetAfter(recording: Recording): Promise<void> {
    await recording.ended;
    if (!this.#isDropped) await this.objectAlarm.setAt(Date.now() + KEPT_MS);
  }
}
