/** Bytes that the documents of an isolate may take together: it has 128 MB, and what is made of a file comes on top. */
const CAPACITY = 64 * 1024 * 1024;
const POLL_MS = 100;
/** A call whose caller went away ends without a word, its timers with it; its memory counts as free after so long. */
const GONE_MS = 60_000;

interface Visit {
  tenant: string;
  bytes: number;
  seen: number;
  /** Its decoded size is known and does not fit yet. */
  isGrowing: boolean;
}

/** Memory that a document may take until it is disposed of. */
export interface Admission extends Disposable {
  /**
   * Says how much memory the document takes once it is decoded. Resolves when there is that much: a document that needs
   * more than all the memory gets it once no other document is being worked on.
   */
  correct(bytes: number): Promise<void>;
}

/**
 * Admits documents while there is memory for them; the others wait. Tenants take turns, so that a tenant who brings many
 * files holds nobody up for longer than one of them takes. A document above the capacity is admitted alone.
 */
export class MemoryAdmission {
  readonly #capacity: number;
  readonly #inside = new Set<Visit>();
  readonly #waiting = new Set<Visit>();
  /** When each tenant that waits was admitted last, as a count. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  /** Resolves when there is memory for so many bytes; disposing of the result frees them. */
  async admit(tenant: string, bytes: number): Promise<Admission> {
    const visit = { tenant, bytes, seen: Date.now(), isGrowing: false };
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
      correct: (bytes) => this.#correct(visit, bytes),
      [Symbol.dispose]: () => {
        clearInterval(beat);
        this.#inside.delete(visit);
        if (this.#waiting.size === 0 && this.#inside.size === 0) this.#turns.clear();
      },
    };
  }

  async #correct(visit: Visit, bytes: number): Promise<void> {
    visit.isGrowing = true;
    try {
      while (!this.#mayGrow(visit, bytes)) await scheduler.wait(POLL_MS);
      visit.bytes = bytes;
    } finally {
      visit.isGrowing = false;
    }
  }

  /** Where all that are inside wait for more memory, the first of them goes on: they would wait for each other. */
  #mayGrow(visit: Visit, bytes: number): boolean {
    forgetGone(this.#inside);
    if (this.#sumHeld() - visit.bytes + bytes <= this.#capacity || bytes <= visit.bytes) return true;
    const [first] = this.#inside;
    return first === visit && [...this.#inside].every(({ isGrowing }) => isGrowing);
  }

  /** Returns who is admitted now. Nobody of a later turn overtakes a large document, which would wait for ever. */
  #next(): Visit | undefined {
    forgetGone(this.#waiting);
    forgetGone(this.#inside);
    const lastTurn = ({ tenant }: Visit) => this.#turns.get(tenant) ?? 0;
    let next: Visit | undefined;
    for (const visit of this.#waiting) if (!next || lastTurn(visit) < lastTurn(next)) next = visit;
    if (this.#inside.size === 0) return next;
    // Documents that were admitted already come first.
    for (const { isGrowing } of this.#inside) if (isGrowing) return undefined;
    return next && this.#sumHeld() + next.bytes <= this.#capacity ? next : undefined;
  }

  #sumHeld(): number {
    let held = 0;
    for (const { bytes } of this.#inside) held += bytes;
    return held;
  }
}

function forgetGone(visits: Set<Visit>): void {
  for (const visit of visits) if (Date.now() - visit.seen > GONE_MS) visits.delete(visit);
}
