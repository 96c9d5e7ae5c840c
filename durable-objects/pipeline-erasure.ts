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

/** Storage key that marks a pipeline as being deleted. */
const ERASURE = 'erasure';
/** Milliseconds that running work has to stop. */
const GRACE_MS = 8_000;
/** Milliseconds between checks for running work, and before an interrupted deletion continues. */
const LOOK_MS = 1_000;
const AGAIN_MS = 5_000;
/** Milliseconds during which claimed work may still write. Equal to `LEASE_MS` in src/work/lease.ts. */
const LEFTOVERS_MS = 30_000;

interface Erasure {
  pipelineId: string;
  /**
   * Time in milliseconds since 1970 until which running work may stop by itself. Once `leftovers` is set, the
   * time at which they are deleted.
   */
  waitUntil: number;
  /**
   * Data to delete again because running work may still have written it. Set once everything else is deleted.
   */
  leftovers?: Leftovers;
}

/** Deletes a pipeline step by step. The object's alarm continues the deletion after an interruption. */
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

  /**
   * Starts the deletion. When this returns, the pipeline answers no queries and accepts no writes. With
   * `now`, running work is not awaited.
   */
  async begin(pipelineId: string, now: boolean): Promise<void> {
    // The state is stored first, so the alarm can continue after any failure.
    const waitUntil = now ? 0 : Date.now() + GRACE_MS;
    const erasure = (await this.#stored()) ?? { pipelineId, waitUntil };
    await this.#storage.put(ERASURE, erasure);
    await this.#alarm.setAt(Date.now() + (now ? AGAIN_MS : 0));
    await markDeleting(this.#context, pipelineId);
  }

  /** Deletes everything at once, even during running work. Returns true if nothing is left. */
  async finishNow(ledger: RunLedger): Promise<boolean> {
    const erasure = await this.#stored();
    return erasure !== undefined && !erasure.leftovers && this.#removeAll(erasure, ledger, true);
  }

  /** Performs one step of the deletion. Returns true once the object may delete its own state. */
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
      // The vector store may be down, so try again later.
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
