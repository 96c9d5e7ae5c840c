import worker from '#src/index.ts';
import type { Bindings } from '#src/settings/env.ts';

export * from '#src/index.ts';

const CHANCE = 0.08;
const strikes = () => Math.random() < CHANCE;
/** Duration in milliseconds that exceeds every timeout. */
const HANG_MS = 60_000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Index methods that can fail, answer late or run twice, as after a lost answer. */
const STRUCK = new Set(['stage', 'stageMany', 'publish', 'describe', 'remove']);

function struckStub(stub: object): object {
  return new Proxy(stub, {
    get(target, name) {
      const member = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      if (typeof member !== 'function') return member;
      // Members of an RPC stub are remote, so call the member with `Reflect.apply` instead of `member.apply`.
      const method = (...args: unknown[]) => Reflect.apply(member, target, args);
      return async (...args: unknown[]) => {
        // The first argument of `as` after the name is the method to call.
        if (!STRUCK.has(String(name === 'as' ? args[1] : name))) return method(...args);
        if (strikes()) throw new Error('the index failed before it was asked');
        if (strikes()) await pause(800);
        if (Math.random() < CHANCE / 10) await pause(HANG_MS);
        const answer = await method(...args);
        if (strikes()) await method(...args);
        if (strikes()) throw new Error('the answer of the index was lost');
        return answer;
      };
    },
  });
}

function struck(namespace: Bindings['SEARCH_SHARD']): Bindings['SEARCH_SHARD'] {
  return new Proxy(namespace, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (name === 'get') return (id: DurableObjectId) => struckStub(target.get(id));
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Runs the real Worker with a queue that delivers twice and out of order, and an index that fails. */
export default {
  ...worker,
  async queue(
    batch: MessageBatch,
    env: typeof import('cloudflare:workers').env,
    execution: ExecutionContext,
  ) {
    const messages = batch.messages.toSorted(() => Math.random() - 0.5);
    const shuffled = { queue: batch.queue, messages, ackAll() {}, retryAll() {} } as unknown as MessageBatch;
    const faulty = { ...env, SEARCH_SHARD: struck(env.SEARCH_SHARD) };
    await worker.queue(shuffled, faulty, execution);
    const doubled = messages.filter(() => strikes()).map((message) => copyMessage(message));
    const again = { queue: batch.queue, messages: doubled, ackAll() {}, retryAll() {} };
    if (doubled.length > 0) await worker.queue(again as unknown as MessageBatch, faulty, execution);
  },
};

/** Returns an independent copy of a message, so that acknowledging the copy does not affect the original. */
function copyMessage({ id, timestamp, body, attempts }: Message): Message {
  return { id, timestamp, body, attempts, ack() {}, retry() {} } as Message;
}
