export interface Waiting {
  tenant: string;
  isUrgent: boolean;
}

export interface Running {
  tenant: string;
}

/**
 * Number of parser processes beyond those that one project may use. They serve urgent calls and other
 * projects.
 */
export const EXTRA_PROCESSES = 2;

/**
 * Decides which waiting parser call runs next. A project may run `share` calls at a time, and an urgent call
 * may exceed this number by one. Urgent calls go first, then the project that was served least recently.
 */
export class TurnQueue<Call extends Waiting> {
  readonly #share: number;
  readonly #waiting = new Set<Call>();
  /**
   * Serial number of each project's last call. The project with the lowest number was served least recently.
   */
  readonly #servedAt = new Map<string, number>();
  #served = 0;

  constructor(share: number) {
    this.#share = share;
  }

  add(call: Call): void {
    this.#waiting.add(call);
  }

  remove(call: Call): void {
    this.#waiting.delete(call);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Removes and returns the next call that may start while the calls in `running` continue. Returns
   * `undefined` if no call may start.
   */
  take(running: readonly Running[]): Call | undefined {
    const next = this.#next(running);
    if (!next) return undefined;
    this.#waiting.delete(next);
    this.#servedAt.set(next.tenant, ++this.#served);
    if (this.#waiting.size === 0 && running.length === 0) this.#servedAt.clear();
    return next;
  }

  #next(running: readonly Running[]): Call | undefined {
    if (running.length >= this.#share + EXTRA_PROCESSES) return undefined;
    const used = new Map<string, number>();
    for (const { tenant } of running) used.set(tenant, (used.get(tenant) ?? 0) + 1);
    let next: Call | undefined;
    for (const call of this.#waiting) {
      const limit = this.#share + (call.isUrgent ? 1 : 0);
      if ((used.get(call.tenant) ?? 0) >= limit) continue;
      if (!next || this.#isBefore(call, next)) next = call;
    }
    return next;
  }

  #isBefore(one: Call, other: Call): boolean {
    if (one.isUrgent !== other.isUrgent) return one.isUrgent;
    return (this.#servedAt.get(one.tenant) ?? 0) < (this.#servedAt.get(other.tenant) ?? 0);
  }
}
