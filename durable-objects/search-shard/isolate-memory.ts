/** One shard, as the budget sees it. */
export interface Tenant {
  /** What the shard keeps in memory now. */
  readonly bytes: number;
  /** Whether a call is under way that goes on with what is in memory. */
  readonly isPinned: boolean;
  /** Lets go of what is read again one piece at a time. */
  trim(): void;
  /** Lets go of all of it. */
  drop(): void;
}

/** Who was asked longer ago is not one of those that are asked with every query. */
const IDLE_MS = 10_000;

/**
 * What all shards of an isolate keep in memory. The platform puts objects of a class into one isolate as it likes, and
 * none of them knows the others but by this. What is dropped is free when the runtime has collected it.
 */
export class IsolateMemory {
  /** Least recently asked first. Weak, so that an object which the runtime has put away is not kept alive. */
  readonly #tenants = new Set<WeakRef<Tenant>>();
  readonly #refs = new WeakMap<Tenant, WeakRef<Tenant>>();
  readonly #askedAt = new WeakMap<Tenant, number>();
  readonly #now: () => number;
  /** How often a shard came into memory, and how often one was dropped to make room. */
  readonly counts = { wakes: 0, drops: 0 };

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  woken(tenant: Tenant): void {
    this.counts.wakes++;
    this.asked(tenant);
  }

  asked(tenant: Tenant): void {
    const ref = this.#refs.get(tenant) ?? new WeakRef(tenant);
    this.#refs.set(tenant, ref);
    this.#askedAt.set(tenant, this.#now());
    this.#tenants.delete(ref);
    this.#tenants.add(ref);
  }

  get bytes(): number {
    let bytes = 0;
    for (const tenant of this.#living()) bytes += tenant.bytes;
    return bytes;
  }

  /**
   * Makes so many bytes more fit into the limit. Idle tenants drop theirs, the least recently asked first; then the
   * others trim, since shards of one index that dropped theirs for each other would read all of it anew with each
   * query; then they drop too. A shard that does not fit even alone is let in alone; so are pinned ones beside it.
   */
  makeRoom(tenant: Tenant, bytes: number, limit: number): void {
    this.dropIdle(tenant, bytes, limit);
    this.#free(tenant, this.bytes + bytes - limit, (other) => other.trim());
    this.#free(tenant, this.bytes + bytes - limit, (other) => this.#drop(other));
  }

  /** As far as that goes. */
  dropIdle(tenant: Tenant, bytes: number, limit: number): void {
    const since = this.#now() - IDLE_MS;
    this.#free(tenant, this.bytes + bytes - limit, (other) => {
      if (this.#askedAt.get(other)! < since) this.#drop(other);
    });
  }

  #free(tenant: Tenant, excess: number, free: (other: Tenant) => void): void {
    let left = excess;
    for (const other of this.#living()) {
      if (left <= 0) return;
      if (other === tenant || other.isPinned || other.bytes === 0) continue;
      const { bytes } = other;
      free(other);
      left -= bytes - other.bytes;
    }
  }

  #drop(tenant: Tenant): void {
    tenant.drop();
    this.counts.drops++;
  }

  *#living(): Generator<Tenant> {
    for (const ref of this.#tenants) {
      const tenant = ref.deref();
      if (tenant) yield tenant;
      else this.#tenants.delete(ref);
    }
  }
}

/** Of this isolate. */
export const isolateMemory = new IsolateMemory();
