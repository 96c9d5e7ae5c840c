/** What documents held open at once may weigh: an isolate has 128 MB, and what is read of a file comes on top of it. */
const CAPACITY = 64 * 1024 * 1024;
const POLL_MS = 100;
/** A call whose caller went away ends without a word, its timers with it; what it held is free after so long. */
const GONE_MS = 60_000;

interface Visit {
  tenant: string;
  bytes: number;
  seen: number;
}

/**
 * Lets documents in while there is room for their bytes; the others wait, and tenants take turns, so that one who
 * brings many files holds nobody up for longer than one of them takes. A file above the capacity gets in alone.
 */
export class Room {
  readonly #capacity: number;
  readonly #inside = new Set<Visit>();
  readonly #waiting = new Set<Visit>();
  /** When each of those who wait was let in last, as a count. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  /** Resolves with what gives the place back. */
  async enter(tenant: string, bytes: number): Promise<Disposable> {
    const visit = { tenant, bytes, seen: Date.now() };
    this.#waiting.add(visit);
    // Each call looks for itself: a promise that another call keeps might outlive the call that waits for it.
    while (this.#next() !== visit) {
      await scheduler.wait(POLL_MS);
      visit.seen = Date.now();
    }
    this.#waiting.delete(visit);
    this.#inside.add(visit);
    this.#turns.set(tenant, ++this.#turn);
    const beat = setInterval(() => {
      visit.seen = Date.now();
    }, POLL_MS * 10);
    return {
      [Symbol.dispose]: () => {
        clearInterval(beat);
        this.#inside.delete(visit);
        if (this.#waiting.size === 0 && this.#inside.size === 0) this.#turns.clear();
      },
    };
  }

  /** Who gets in now. Nobody of a later turn overtakes a large file: it would wait for ever. */
  #next(): Visit | undefined {
    forget(this.#waiting);
    forget(this.#inside);
    const turnOf = ({ tenant }: Visit) => this.#turns.get(tenant) ?? 0;
    let next: Visit | undefined;
    for (const visit of this.#waiting) if (!next || turnOf(visit) < turnOf(next)) next = visit;
    let held = 0;
    for (const { bytes } of this.#inside) held += bytes;
    const fits = next && (this.#inside.size === 0 || held + next.bytes <= this.#capacity);
    return fits ? next : undefined;
  }
}

function forget(visits: Set<Visit>): void {
  for (const visit of visits) if (Date.now() - visit.seen > GONE_MS) visits.delete(visit);
}
