/** One shard, as the budget sees it. */
export interface Tenant {
  /** What the shard keeps in memory now. */
  readonly bytes: number;
  /** Whether a call is under way that goes on with what is in memory. */
  readonly isPinned: boolean;
  /** Lets go of all of it. */
  drop(): void;
}

/**
 * What all shards of an isolate keep in memory. The platform puts objects of a class into one isolate as it likes, and
 * none of them knows the others but by this. What is dropped is free when the runtime has collected it.
 */
export class IsolateMemory {
  /** Least recently asked first. Weak, so that an object which the runtime has put away is not kept alive. */
  readonly #tenants = new Set<WeakRef<Tenant>>();
  readonly #refs = new WeakMap<Tenant, WeakRef<Tenant>>();
  /** How often a shard came into memory, and how often one was dropped to make room. */
  readonly counts = { wakes: 0, drops: 0 };

  woken(tenant: Tenant): void {
    this.counts.wakes++;
    this.asked(tenant);
  }

  asked(tenant: Tenant): void {
    const ref = this.#refs.get(tenant) ?? new WeakRef(tenant);
    this.#refs.set(tenant, ref);
    this.#tenants.delete(ref);
    this.#tenants.add(ref);
  }

  get bytes(): number {
    let bytes = 0;
    for (const tenant of this.#living()) bytes += tenant.bytes;
    return bytes;
  }

  /**
   * Has others drop theirs, the least recently asked first, until so many bytes more fit into the limit. A shard that
   * does not fit even alone is let in alone; so are pinned ones beside it.
   */
  makeRoom(tenant: Tenant, bytes: number, limit: number): void {
    let excess = this.bytes + bytes - limit;
    for (const other of this.#living()) {
      if (excess <= 0) return;
      if (other === tenant || other.isPinned || other.bytes === 0) continue;
      excess -= other.bytes;
      other.drop();
      this.counts.drops++;
    }
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
