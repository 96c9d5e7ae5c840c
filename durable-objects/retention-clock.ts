import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import { isRestoring } from '#src/services/files/restoring.ts';
import { expiresAnything, type Place, removeExpired } from '#src/services/retention/sweep.ts';

/** Storage key of a retention pass's current position. */
const PLACE = 'retention';
/**
 * Storage key that marks a request made during a pass. The pass may already be beyond the requesting project.
 */
const ASKED = 'retention asked';
/** Milliseconds until the first pass after a request, and between regular passes. */
const SOON_MS = 60_000;
const EVERY_MS = 6 * 3_600_000;
/** Maximum milliseconds of work per alarm, and the pause before the next alarm. */
const TURN_MS = 20_000;
const PAUSE_MS = 1_000;
const AGAIN_MS = 10 * 60_000;

/** Runs retention passes over all projects. The object's alarm continues a pass after an interruption. */
export class RetentionClock {
  readonly #storage: DurableObjectStorage;
  readonly #context: Context;

  constructor(storage: DurableObjectStorage, context: Context) {
    this.#storage = storage;
    this.#context = context;
  }

  async watch(when: 'soon' | 'sometime'): Promise<void> {
    const next = await this.#storage.getAlarm();
    const soon = Date.now() + SOON_MS;
    if (next === null || (when === 'soon' && next > soon)) await this.#storage.setAlarm(soon);
    if (when === 'soon') await this.#storage.put(ASKED, true);
  }

  /** Performs one turn of a pass. If nothing can expire, no further alarm is set. */
  async goOn(turnMs = TURN_MS): Promise<void> {
    const now = Date.now();
    // Cloudflare stops retrying an alarm that keeps failing, so it is set again before anything may throw.
    await this.#storage.setAlarm(now + AGAIN_MS);
    try {
      // Skip while a backup is restored. Restored files have their old dates and are written before the
      // pipelines that refer to them.
      if (await isRestoring(this.#context)) return;
      const from = await this.#storage.get<Place>(PLACE);
      if (!from) await this.#storage.delete(ASKED);
      const left = await removeExpired(this.#context, from, now + turnMs);
      if (left) {
        await this.#storage.put(PLACE, left);
        await this.#storage.setAlarm(Date.now() + PAUSE_MS);
        return;
      }
      await this.#storage.delete(PLACE);
      if (await expiresAnything(this.#context)) {
        const wait = (await this.#storage.get(ASKED)) ? SOON_MS : EVERY_MS;
        await this.#storage.setAlarm(Date.now() + wait);
      } else await this.#storage.deleteAlarm();
    } catch (error) {
      this.#context.log.warn('expired things are removed later', { error: messageOf(error) });
    }
    this.#context.metrics.handOver();
  }
}
