import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import {
  eraseLeftovers,
  erasePipeline,
  type Leftovers,
  markDeleting,
} from '#src/services/pipelines/erase.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import type { RunLedger } from './sync/run-ledger.ts';

const ERASURE_KEY = 'erasure';
/** Time in milliseconds for which a deletion waits for running work to end by itself. */
const GRACE_MS = 8_000;
/**
 * Intervals in milliseconds: between two checks for running work, and before a failed or interrupted deletion
 * continues.
 */
const CHECK_MS = 1_000;
const RETRY_MS = 5_000;
/**
 * Time in milliseconds during which a consumer with a claim may still write data. Equals `LEASE_MS` in
 * src/work/lease.ts.
 */
const LEFTOVERS_MS = 30_000;

interface Erasure {
  pipelineId: string;
  /**
   * Time until which the deletion waits for running work, in milliseconds since 1970. Once `leftovers` is
   * set, the time at which leftovers are deleted.
   */
  waitUntil: number;
  /**
   * Data that is deleted a second time, because running work may have written it again. Set once all other
   * data is deleted.
   */
  leftovers?: Leftovers;
}

/** Deletes a pipeline in steps. The alarm continues the deletion after an interruption. */
export class PipelineErasure {
  readonly #storage: DurableObjectStorage;
  readonly #alarm: ObjectAlarm;
  readonly #context: Context;

  constructor(storage: DurableObjectStorage, alarm: ObjectAlarm, context: Context) {
    this.#storage = storage;
    this.#alarm = alarm;
    this.#context = context;
  }

  async isRunning(): Promise<boolean> {
    return (await this.#readState()) !== undefined;
  }

  #readState(): Promise<Erasure | undefined> {
    return this.#storage.get<Erasure>(ERASURE_KEY);
  }

  /**
   * Starts the deletion. Afterwards the pipeline answers no queries and accepts no writes. With `now`, the
   * deletion does not wait for running work.
   */
  async begin(pipelineId: string, now: boolean): Promise<void> {
    // The state is stored first, so that the alarm can continue the deletion after any failure.
    const waitUntil = now ? 0 : Date.now() + GRACE_MS;
    const erasure = (await this.#readState()) ?? { pipelineId, waitUntil };
    await this.#storage.put(ERASURE_KEY, erasure);
    await this.#alarm.setAt(Date.now() + (now ? RETRY_MS : 0));
    await markDeleting(this.#context, pipelineId);
  }

  /** Deletes everything immediately, even during running work. Returns true if nothing is left to delete. */
  async finishNow(ledger: RunLedger): Promise<boolean> {
    const erasure = await this.#readState();
    return erasure !== undefined && !erasure.leftovers && this.#removeAll(erasure, ledger, true);
  }

  /** Performs one step of the deletion. Returns true if the object may now delete its own state. */
  async runStep(ledger: RunLedger): Promise<boolean> {
    const erasure = await this.#readState();
    if (!erasure) return false;
    const { pipelineId, leftovers } = erasure;
    try {
      const now = Date.now();
      if (now < erasure.waitUntil && (leftovers || ledger.countInState('claimed') > 0)) {
        await this.#alarm.setAt(Math.min(erasure.waitUntil, now + CHECK_MS));
        return false;
      }
      if (!leftovers) return await this.#removeAll(erasure, ledger, false);
      await eraseLeftovers(this.#context, pipelineId, leftovers);
      return true;
    } catch (error) {
      // The vector store may be unavailable, so this step of the deletion is tried again later.
      this.#context.log.warn('deleting the pipeline failed and will be retried', {
        pipelineId,
        error: getErrorMessage(error),
      });
      await this.#alarm.setAt(Date.now() + LEFTOVERS_MS);
      return false;
    }
  }

  async #removeAll(erasure: Erasure, ledger: RunLedger, force: boolean): Promise<boolean> {
    await this.#alarm.setAt(Date.now() + RETRY_MS);
    await markDeleting(this.#context, erasure.pipelineId);
    const leftovers = await erasePipeline(this.#context, erasure.pipelineId, force);
    if (!leftovers || ledger.countInState('claimed') === 0) return true;
    const waitUntil = Date.now() + LEFTOVERS_MS;
    await this.#storage.put(ERASURE_KEY, { ...erasure, leftovers, waitUntil });
    await this.#alarm.setAt(waitUntil);
    return false;
  }
}
