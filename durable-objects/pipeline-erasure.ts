import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import {
  eraseLeftovers,
  erasePipeline,
  type Leftovers,
  markDeleting,
} from '#src/services/pipelines/erase.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import type { RunLedger } from './sync/run-ledger.ts';

/** Under this name the object remembers that its pipeline is being deleted. */
const ERASURE = 'erasure';
/** How long work in flight has to let go. */
const GRACE_MS = 8_000;
/** When to look again whether it has, and after an interruption. */
const LOOK_MS = 1_000;
const AGAIN_MS = 5_000;
/** What was claimed may write for so long; see the lease of `PipelineSync`. */
const LEFTOVERS_MS = 30_000;

interface Erasure {
  pipelineId: string;
  /** Work in flight has until then to let go. Milliseconds. */
  waitUntil: number;
  /** Set when all is removed but work in flight may still write: what to remove once more, and when. */
  leftovers?: Leftovers;
}

/** The end of a pipeline, which survives whatever interrupts it: the object's alarm comes back to it. */
export class PipelineErasure {
  readonly #storage: DurableObjectStorage;
  readonly #alarm: ObjectAlarm;
  readonly #context: Context;

  constructor(storage: DurableObjectStorage, alarm: ObjectAlarm, context: Context) {
    this.#storage = storage;
    this.#alarm = alarm;
    this.#context = context;
  }

  async isUnderWay(): Promise<boolean> {
    return (await this.#stored()) !== undefined;
  }

  #stored(): Promise<Erasure | undefined> {
    return this.#storage.get<Erasure>(ERASURE);
  }

  /** From its return on nothing of the pipeline is searchable. `now`: no patience for work in flight. */
  async begin(pipelineId: string, now: boolean): Promise<void> {
    // First of all, so that whatever happens next this object comes back to it.
    const waitUntil = now ? 0 : Date.now() + GRACE_MS;
    const erasure = (await this.#stored()) ?? { pipelineId, waitUntil };
    await this.#storage.put(ERASURE, erasure);
    await this.#alarm.setAt(Date.now() + (now ? AGAIN_MS : 0));
    await markDeleting(this.#context, pipelineId);
  }

  /** The whole of it at once, from under whatever is at work. True: nothing is left to come back for. */
  async finishNow(ledger: RunLedger): Promise<boolean> {
    const erasure = await this.#stored();
    return erasure !== undefined && !erasure.leftovers && this.#removeAll(erasure, ledger, true);
  }

  /** A step of it. True: all is gone and the object may forget itself. */
  async goOn(ledger: RunLedger): Promise<boolean> {
    const erasure = await this.#stored();
    if (!erasure) return false;
    const { pipelineId, leftovers } = erasure;
    try {
      const now = Date.now();
      if (now < erasure.waitUntil && (leftovers || ledger.countIn('claimed') > 0)) {
        await this.#alarm.setAt(Math.min(erasure.waitUntil, now + LOOK_MS));
        return false;
      }
      if (!leftovers) return await this.#removeAll(erasure, ledger, false);
      await eraseLeftovers(this.#context, pipelineId, leftovers);
      return true;
    } catch (error) {
      // A vector store that does not answer now may answer later.
      this.#context.log.warn('deletion goes on later', { pipelineId, error: messageOf(error) });
      await this.#alarm.setAt(Date.now() + LEFTOVERS_MS);
      return false;
    }
  }

  async #removeAll(erasure: Erasure, ledger: RunLedger, force: boolean): Promise<boolean> {
    await this.#alarm.setAt(Date.now() + AGAIN_MS);
    await markDeleting(this.#context, erasure.pipelineId);
    const leftovers = await erasePipeline(this.#context, erasure.pipelineId, force);
    if (!leftovers || ledger.countIn('claimed') === 0) return true;
    const waitUntil = Date.now() + LEFTOVERS_MS;
    await this.#storage.put(ERASURE, { ...erasure, leftovers, waitUntil });
    await this.#alarm.setAt(waitUntil);
    return false;
  }
}
