/**
 * Bytes that all documents of an isolate may take together. An isolate has 128 MB, and the results of parsing
 * need memory as well.
 */
const CAPACITY = 64 * 1024 * 1024;
const POLL_MS = 100;
/**
 * Milliseconds without a heartbeat after which a call counts as abandoned and its memory as free. A call
 * whose caller disconnects ends without cleaning up.
 */
const ABANDONED_MS = 60_000;

interface AdmittedCall {
  tenant: string;
  bytes: number;
  lastSeen: number;
  /** True while the call waits for more memory, once the decoded size of its document is known. */
  isResizing: boolean;
}

/** Memory reserved for a document. Disposing of the reservation frees the memory. */
export interface Admission extends Disposable {
  /**
   * Changes the reservation to the document's decoded size. Resolves when that much memory is free. A
   * document larger than the capacity is accepted once no other document is being processed.
   */
  resize(bytes: number): Promise<void>;
}

/**
 * Admits documents as long as memory is free, and lets the others wait. Tenants take turns, so a tenant with
 * many files delays others by one file at most. A document larger than the capacity is admitted alone.
 */
export class MemoryAdmission {
  readonly #capacity: number;
  readonly #admitted = new Set<AdmittedCall>();
  readonly #waiting = new Set<AdmittedCall>();
  /**
   * Serial number of each waiting tenant's last admission. The tenant with the lowest number is admitted
   * next.
   */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  /** Reserves memory for a document. Resolves when the given number of bytes is free. */
  async admit(tenant: string, bytes: number): Promise<Admission> {
    const call = { tenant, bytes, lastSeen: Date.now(), isResizing: false };
    this.#waiting.add(call);
    // Each call checks for free memory at intervals. A promise that another call resolves could outlive the
    // waiting call.
    while (this.#next() !== call) {
      await scheduler.wait(POLL_MS);
      call.lastSeen = Date.now();
    }
    this.#waiting.delete(call);
    this.#admitted.add(call);
    this.#turns.set(tenant, ++this.#turn);
    const beat = setInterval(() => {
      call.lastSeen = Date.now();
    }, POLL_MS * 10);
    return {
      resize: (bytes) => this.#correct(call, bytes),
      [Symbol.dispose]: () => {
        clearInterval(beat);
        this.#admitted.delete(call);
        if (this.#waiting.size === 0 && this.#admitted.size === 0) this.#turns.clear();
      },
    };
  }

  async #correct(call: AdmittedCall, bytes: number): Promise<void> {
    call.isResizing = true;
    try {
      while (!this.#canResize(call, bytes)) await scheduler.wait(POLL_MS);
      call.bytes = bytes;
    } finally {
      call.isResizing = false;
    }
  }

  /**
   * Returns whether a call may enlarge its reservation. If all admitted calls wait for more memory, the first
   * one may continue. Otherwise they would wait for each other forever.
   */
  #canResize(call: AdmittedCall, bytes: number): boolean {
    dropAbandoned(this.#admitted);
    if (this.#sumAdmitted() - call.bytes + bytes <= this.#capacity || bytes <= call.bytes) return true;
    const [first] = this.#admitted;
    return first === call && [...this.#admitted].every(({ isResizing }) => isResizing);
  }

  /**
   * Returns the next call to admit, or `undefined` if its document does not fit into the free memory. Smaller
   * documents never overtake a large one, which could otherwise wait forever.
   */
  #next(): AdmittedCall | undefined {
    dropAbandoned(this.#waiting);
    dropAbandoned(this.#admitted);
    const lastTurn = ({ tenant }: AdmittedCall) => this.#turns.get(tenant) ?? 0;
    let next: AdmittedCall | undefined;
    for (const call of this.#waiting) if (!next || lastTurn(call) < lastTurn(next)) next = call;
    if (this.#admitted.size === 0) return next;
    // Calls that were admitted earlier and wait for more memory get memory before new calls.
    for (const { isResizing } of this.#admitted) if (isResizing) return undefined;
    return next && this.#sumAdmitted() + next.bytes <= this.#capacity ? next : undefined;
  }

  #sumAdmitted(): number {
    let sum = 0;
    for (const { bytes } of this.#admitted) sum += bytes;
    return sum;
  }
}

function dropAbandoned(calls: Set<AdmittedCall>): void {
  for (const call of calls) if (Date.now() - call.lastSeen > ABANDONED_MS) calls.delete(call);
}
