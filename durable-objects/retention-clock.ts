import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { isRestoring } from '#src/services/files/restoring.ts';
import { removeExpiredOfInstallation } from '#src/services/retention/installation.ts';
import { removeExpired, type SweepPosition } from '#src/services/retention/sweep.ts';

/** Storage key of the position at which the current retention pass continues. */
const POSITION_KEY = 'retention';
/**
 * Storage key of a marker for requests made during a pass. The pass may already be past the requesting
 * project, so another pass follows soon.
 */
const REQUESTED_KEY = 'retention asked';
/** Milliseconds from a request to its pass, and between regular passes. */
const FIRST_PASS_MS = 60_000;
const PASS_INTERVAL_MS = 6 * 3_600_000;
/** Maximum duration of the work per alarm in milliseconds, and the pause before the next alarm. */
const MAX_TURN_MS = 20_000;
const PAUSE_MS = 1_000;
const RETRY_MS = 10 * 60_000;

/** Runs retention passes over all projects. The alarm continues an interrupted pass. */
export class RetentionClock {
  readonly #storage: DurableObjectStorage;
  readonly #context: Context;

  constructor(storage: DurableObjectStorage, context: Context) {
    this.#storage = storage;
    this.#context = context;
  }

  async watch(when: 'soon' | 'sometime'): Promise<void> {
    const next = await this.#storage.getAlarm();
    const soon = Date.now() + FIRST_PASS_MS;
    if (next === null || (when === 'soon' && next > soon)) await this.#storage.setAlarm(soon);
    if (when === 'soon') await this.#storage.put(REQUESTED_KEY, true);
  }

  /** Runs one part of a retention pass and sets the next alarm. */
  async runTurn(turnMs = MAX_TURN_MS): Promise<void> {
    const now = Date.now();
    // Cloudflare stops retrying an alarm that keeps failing, so the alarm is set again before any work that
    // may throw.
    await this.#storage.setAlarm(now + RETRY_MS);
    try {
      // Nothing is removed while a backup is being restored. Restored files have their old dates, and are
      // written before the pipelines that refer to them.
      if (await isRestoring(this.#context)) return;
      const from = await this.#storage.get<SweepPosition>(POSITION_KEY);
      if (!from) await this.#storage.delete(REQUESTED_KEY);
      const left = await removeExpired(this.#context, from, now + turnMs);
      const isInstallationDone = await removeExpiredOfInstallation(this.#context, now + turnMs);
      if (left || !isInstallationDone) {
        if (left) await this.#storage.put(POSITION_KEY, left);
        else await this.#storage.delete(POSITION_KEY);
        await this.#storage.setAlarm(Date.now() + PAUSE_MS);
        return;
      }
      await this.#storage.delete(POSITION_KEY);
      const wait = (await this.#storage.get(REQUESTED_KEY)) ? FIRST_PASS_MS : PASS_INTERVAL_MS;
      await this.#storage.setAlarm(Date.now() + wait);
    } catch (error) {
      this.#context.log.warn('removing expired data failed and will be retried', {
        error: getErrorMessage(error),
      });
    }
    this.#context.metrics.flush();
  }
}
