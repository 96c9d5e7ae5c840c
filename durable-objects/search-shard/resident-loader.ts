import { readSettings } from '#src/settings/settings.ts';
import { isolateMemory, type MemoryHolder } from './isolate-memory.ts';
import { Resident } from './postings/resident.ts';

const MIB = 1_048_576;

/** Optional data that a shard keeps in memory, and that can be dropped and loaded again. */
export interface ExtraCache {
  readonly bytes: number;
  forget(): void;
}

/**
 * Loads a shard's in-memory data on demand, and drops it when other shards of the isolate need the memory.
 */
export class ResidentLoader implements MemoryHolder {
  readonly #sql: SqlStorage;
  readonly #limit: number;
  readonly #getExtraCache: () => ExtraCache | undefined;
  #resident: Resident | undefined;
  #pins = 0;

  constructor(sql: SqlStorage, env: object, getExtraCache: () => ExtraCache | undefined) {
    this.#sql = sql;
    this.#limit = readSettings(env).SEARCH_MEMORY_MIB * MIB;
    this.#getExtraCache = getExtraCache;
  }

  /**
   * Data in memory, or `undefined` if nothing is loaded. Other calls may drop the data during any `await`.
   */
  get loaded(): Resident | undefined {
    return this.#resident;
  }

  /** True if the vector codes are in memory. They need more memory than all other data. */
  get hasCodes(): boolean {
    return this.#resident?.loadedCodes !== undefined;
  }

  load(): Resident {
    if (this.#resident === undefined) {
      isolateMemory.markLoaded(this);
      this.#reserveMemory(Resident.INITIAL_BYTES);
      this.#resident = new Resident(this.#sql, {
        reserve: (bytes) => this.#reserveMemory(bytes),
        available: (bytes) => {
          isolateMemory.dropIdle(this, bytes, this.#limit);
          return this.#limit - isolateMemory.bytes;
        },
      });
    }
    return this.#resident;
  }

  #reserveMemory(bytes: number): void {
    isolateMemory.reserve(this, bytes, this.#limit);
  }

  /** Runs a call during which the loaded data is not dropped. */
  async withPinnedMemory<T>(call: () => Promise<T>): Promise<T> {
    isolateMemory.markUsed(this);
    this.#pins++;
    try {
      return await call();
    } finally {
      this.#pins--;
      // Staging grows the memory use little by little, so the limit is checked after each call.
      this.#reserveMemory(0);
    }
  }

  get isPinned(): boolean {
    return this.#pins > 0;
  }

  get bytes(): number {
    return (this.#resident?.bytes ?? 0) + (this.#getExtraCache()?.bytes ?? 0);
  }

  trim(): void {
    this.#resident?.forgetPostings();
  }

  drop(): void {
    this.#resident = undefined;
    this.#getExtraCache()?.forget();
  }
}
