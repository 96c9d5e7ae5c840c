/** Interface through which the memory budget measures a shard and frees its memory. */
export interface MemoryHolder {
  /** Number of bytes that the shard holds in memory. */
  readonly bytes: number;
  /** True while a running call needs the shard's data in memory. The data must not be dropped then. */
  readonly isPinned: boolean;
  /** Frees the part of the memory that can be read again in small pieces, such as caches. */
  trim(): void;
  drop(): void;
}

/**
 * Milliseconds after which a shard without calls counts as idle. Shards that every query uses are called more
 * often.
 */
const IDLE_MS = 10_000;

/**
 * Memory budget of all shards in an isolate. Cloudflare decides which objects of a class share an isolate,
 * and the objects know of each other only through this class. Dropped data becomes free memory at the next
 * garbage collection.
 */
export class IsolateMemory {
  /**
   * Shards of this isolate, least recently used first. The references are weak, so that shards evicted by the
   * runtime can be garbage-collected.
   */
  readonly #holders = new Set<WeakRef<MemoryHolder>>();
  readonly #refs = new WeakMap<MemoryHolder, WeakRef<MemoryHolder>>();
  readonly #usedAt = new WeakMap<MemoryHolder, number>();
  readonly #now: () => number;
  /** Number of times a shard was loaded (`wakes`) or dropped to free memory (`drops`). */
  readonly counts = { wakes: 0, drops: 0 };

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  markLoaded(tenant: MemoryHolder): void {
    this.counts.wakes++;
    this.markUsed(tenant);
  }

  markUsed(tenant: MemoryHolder): void {
    const ref = this.#refs.get(tenant) ?? new WeakRef(tenant);
    this.#refs.set(tenant, ref);
    this.#usedAt.set(tenant, this.#now());
    this.#holders.delete(ref);
    this.#holders.add(ref);
  }

  get bytes(): number {
    let bytes = 0;
    for (const tenant of this.#liveHolders()) bytes += tenant.bytes;
    return bytes;
  }

  /**
   * Frees memory until `bytes` more bytes fit into the limit. Idle shards drop their data first, the least
   * recently used ones before others. Then the remaining shards trim, because shards of one index that drop
   * each other would reload everything with each query. Only then do the remaining shards drop their data
   * too. A shard that exceeds the limit alone is loaded anyway, and pinned shards keep their data.
   */
  reserve(tenant: MemoryHolder, bytes: number, limit: number): void {
    this.dropIdle(tenant, bytes, limit);
    this.#freeFromOthers(tenant, this.bytes + bytes - limit, (other) => other.trim());
    this.#freeFromOthers(tenant, this.bytes + bytes - limit, (other) => this.#drop(other));
  }

  /** Drops idle shards until `bytes` more bytes fit into the limit or no idle shard is left. */
  dropIdle(tenant: MemoryHolder, bytes: number, limit: number): void {
    const since = this.#now() - IDLE_MS;
    this.#freeFromOthers(tenant, this.bytes + bytes - limit, (other) => {
      if (this.#usedAt.get(other)! < since) this.#drop(other);
    });
  }

  #freeFromOthers(tenant: MemoryHolder, excess: number, free: (other: MemoryHolder) => void): void {
    let left = excess;
    for (const other of this.#liveHolders()) {
      if (left <= 0) return;
      if (other === tenant || other.isPinned || other.bytes === 0) continue;
      const { bytes } = other;
      free(other);
      left -= bytes - other.bytes;
    }
  }

  #drop(tenant: MemoryHolder): void {
    tenant.drop();
    this.counts.drops++;
  }

  *#liveHolders(): Generator<MemoryHolder> {
    for (const ref of this.#holders) {
      const tenant = ref.deref();
      if (tenant) yield tenant;
      else this.#holders.delete(ref);
    }
  }
}

export const isolateMemory = new IsolateMemory();
