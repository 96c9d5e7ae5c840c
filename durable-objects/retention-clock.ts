import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import { isRestoring } from '#src/services/files/restoring.ts';
import { expiresAnything, type Place, removeExpired } from '#src/services/retention/sweep.ts';

/** Under this name the object remembers how far a pass has come. */
const PLACE = 'retention';
/** Under this one that somebody has asked for a pass while one was under way, which may be past their project. */
const ASKED = 'retention asked';
/** When the first pass begins after somebody has asked for it, and the next after the end of one. */
const SOON_MS = 60_000;
const EVERY_MS = 6 * 3_600_000;
/** One alarm removes for so long, and the next comes after a pause. */
const TURN_MS = 20_000;
const PAUSE_MS = 1_000;
const AGAIN_MS = 10 * 60_000;

/** Passes over all projects, which survive whatever interrupts them: the object's alarm comes back to them. */
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

  /** A turn of a pass. Without anything that expires there is no other alarm. */
  async goOn(turnMs = TURN_MS): Promise<void> {
    const now = Date.now();
    // First of all: the platform gives an alarm that fails up after a while.
    await this.#storage.setAlarm(now + AGAIN_MS);
    try {
      // Files come back as old as they were, and before the pipelines that hold them.
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
