import { settingsOf } from '#src/settings/settings.ts';
import { isolateMemory, type Tenant } from './isolate-memory.ts';
import { Resident } from './postings/resident.ts';

const MIB = 1_048_576;

/** Something else that a shard keeps in memory and can make anew. */
export interface Beside {
  readonly bytes: number;
  forget(): void;
}

/** Brings what a shard keeps in memory there, and lets go of it when the isolate's other shards need the room. */
export class Waking implements Tenant {
  readonly #sql: SqlStorage;
  readonly #limit: number;
  readonly #beside: () => Beside | undefined;
  #resident: Resident | undefined;
  #pins = 0;

  constructor(sql: SqlStorage, env: object, beside: () => Beside | undefined) {
    this.#sql = sql;
    this.#limit = settingsOf(env).SEARCH_MEMORY_MIB * MIB;
    this.#beside = beside;
  }

  /** What is in memory, which holds until something is waited for; undefined where nothing is. */
  get awake(): Resident | undefined {
    return this.#resident;
  }

  /** Whether what takes most room is there. */
  get hasCodes(): boolean {
    return this.#resident?.loadedCodes !== undefined;
  }

  wake(): Resident {
    if (this.#resident === undefined) {
      isolateMemory.woken(this);
      this.#makeRoom(Resident.LEAST_BYTES);
      this.#resident = new Resident(this.#sql, {
        make: (bytes) => this.#makeRoom(bytes),
        left: (bytes) => {
          isolateMemory.dropIdle(this, bytes, this.#limit);
          return this.#limit - isolateMemory.bytes;
        },
      });
    }
    return this.#resident;
  }

  #makeRoom(bytes: number): void {
    isolateMemory.makeRoom(this, bytes, this.#limit);
  }

  /** A call that somebody waits for. What it found in memory stays until it ends. */
  async asked<T>(call: () => Promise<T>): Promise<T> {
    isolateMemory.asked(this);
    this.#pins++;
    try {
      return await call();
    } finally {
      this.#pins--;
      // Staging grows what is in memory a little at a time.
      this.#makeRoom(0);
    }
  }

  get isPinned(): boolean {
    return this.#pins > 0;
  }

  get bytes(): number {
    return (this.#resident?.bytes ?? 0) + (this.#beside()?.bytes ?? 0);
  }

  trim(): void {
    this.#resident?.forgetPostings();
  }

  drop(): void {
    this.#resident = undefined;
    this.#beside()?.forget();
  }
}
