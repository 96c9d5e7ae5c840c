import { type TurnKey, Turns } from './turns.ts';

export interface AdmissionLimits {
  /** Maximum number of permits that are held at the same time. */
  running: number;
  /** Maximum number of entries that wait for a permit. */
  waiting: number;
  /** Maximum time in milliseconds that an entry waits. */
  waitMs: number;
}

/**
 * Time in milliseconds after which a permit no longer counts. What takes longer than that waits for another system and
 * does not use the thread. Permits of requests that the runtime has cancelled are also freed by this limit.
 */
export const LEASE_MS = 1_000;

/** Reason why an entry got no permit. `displaced` means that the queue was full and another tenant had fewer entries. */
export type Refusal = 'full' | 'displaced' | 'late' | 'left';

/** Thrown if an entry gets no permit. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted';
  readonly reason: Refusal;
  /** Seconds that the longest waiting entry has waited, which is about how long a new one would wait. */
  readonly waitSeconds: number;

  constructor(reason: Refusal, waitSeconds: number) {
    super(`not admitted: ${reason}`);
    this.reason = reason;
    this.waitSeconds = waitSeconds;
  }
}

interface Waiter extends TurnKey {
  readonly since: number;
  grant(permit: Permit): void;
  refuse(reason: Refusal): void;
}

/** Permission to use the thread. */
export interface Permit {
  /** Gives the permit back. Further calls have no effect. */
  release(): void;
  /**
   * Gives the permit back until the work has ended, which waits for a client or for another system. Afterwards the
   * permit is held again at once, even if this exceeds the limit, because the request has already waited its turn.
   */
  pause<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Limits how much runs at the same time, and lets the rest wait in a queue in which tenants and their callers take
 * turns.
 */
export class AdmissionQueue {
  readonly #limits: AdmissionLimits;
  /** Time at which each held permit began to count. */
  readonly #held = new Map<Permit, number>();
  readonly #waiting = new Turns<Waiter>();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Number of entries that wait for a permit. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns a permit if nobody has to wait, and `undefined` otherwise. */
  tryEnter(): Permit | undefined {
    this.#admitWaiting();
    return this.#waiting.size === 0 && this.#hasRoom() ? this.#createPermit() : undefined;
  }

  /**
   * Waits for a permit. Rejects with `NotAdmitted` if the queue is full, the wait takes too long, or `signal` is aborted.
   */
  async enter(key: TurnKey, signal?: AbortSignal): Promise<Permit> {
    const now = Date.now();
    if (signal?.aborted) throw new NotAdmitted('left', 0);
    const permit = this.tryEnter();
    if (permit) return permit;
    if (this.#waiting.size >= this.#limits.waiting) this.#makeRoom(key);
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiter: Waiter = {
      ...key,
      since: now,
      grant: resolve,
      refuse: (reason) => {
        this.#waiting.remove(waiter);
        reject(new NotAdmitted(reason, (Date.now() - now) / 1000));
      },
    };
    this.#waiting.add(waiter);
    const leave = () => waiter.refuse('left');
    signal?.addEventListener('abort', leave, { once: true });
    // Permits of cancelled requests are not given back, so each entry looks for expired ones while it waits.
    const check = setInterval(() => this.#admitWaiting(), LEASE_MS);
    const limit = setTimeout(() => waiter.refuse('late'), this.#limits.waitMs);
    try {
      return await promise;
    } finally {
      clearInterval(check);
      clearTimeout(limit);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Displaces an entry of a tenant that has more of them than the newcomer. Throws if there is none. */
  #makeRoom(newcomer: TurnKey): void {
    const displaced = this.#waiting.findDisplaceable(newcomer);
    if (!displaced) throw new NotAdmitted('full', this.#limits.waitMs / 1000);
    displaced.refuse('displaced');
  }

  #hasRoom(): boolean {
    const oldest = Date.now() - LEASE_MS;
    for (const [permit, since] of this.#held) if (since < oldest) this.#held.delete(permit);
    return this.#held.size < this.#limits.running;
  }

  #admitWaiting(): void {
    while (this.#waiting.size > 0 && this.#hasRoom()) this.#waiting.take()!.grant(this.#createPermit());
  }

  #createPermit(): Permit {
    let isReleased = false;
    const giveBack = () => {
      this.#held.delete(permit);
      this.#admitWaiting();
    };
    const permit: Permit = {
      release: () => {
        isReleased = true;
        giveBack();
      },
      pause: async (work) => {
        if (isReleased) return work();
        giveBack();
        try {
          return await work();
        } finally {
          if (!isReleased) this.#held.set(permit, Date.now());
        }
      },
    };
    this.#held.set(permit, Date.now());
    return permit;
  }
}
