import { clearBit, hasBit, setBit } from '#src/search/bitset.ts';
import { getShardCapacity, MASK_BYTES, MAX_CHUNKS } from '#src/search/memory.ts';

/** Data of all chunks of a shard, indexed by local id and kept in memory. */
export class ChunkTable {
  static readonly BYTES = 3 * MASK_BYTES + 9 * MAX_CHUNKS;
  /**
   * Chunks that queries can find, one bit per local id. Chunks of documents that span several shards are not
   * included.
   */
  readonly live = new Uint8Array(MASK_BYTES);
  /** Local ids in use, including ids of deleted chunks that still occur in postings. */
  readonly occupied = new Uint8Array(MASK_BYTES);
  readonly lengths = new Float32Array(MAX_CHUNKS);
  readonly versionByLocal = new Uint32Array(MAX_CHUNKS);
  readonly languageByLocal = new Uint8Array(MAX_CHUNKS);
  /** Local ids of deleted chunks that still occur in postings. */
  readonly #retired = new Uint8Array(MASK_BYTES);
  retiredCount = 0;
  /**
   * Number of chunks that belong to current versions of documents, including chunks that are not published
   * yet.
   */
  used = 0;
  /** Highest local id of a chunk that is in use, plus one. */
  end = 0;
  /** Number of local ids that became free since the table was loaded. */
  released = 0;
  #lowestFree = 0;

  constructor(sql: SqlStorage) {
    // The query returns one row of JSON arrays, which is several times faster than one row per chunk.
    const all = sql
      .exec<
        Record<'locals' | 'versions' | 'lengths' | 'languages' | 'retired' | 'published' | 'dead', string>
      >(
        `SELECT json_group_array(local) AS locals, json_group_array(version_key) AS versions,
           json_group_array(length) AS lengths, json_group_array(language) AS languages,
           (SELECT json_group_array(local) FROM retired) AS retired,
           (SELECT json_group_array(key) FROM version WHERE published = 1 AND whole IS NULL) AS published,
           (SELECT json_group_array(key) FROM dead_version) AS dead
         FROM chunk`,
      )
      .one();
    const numbers = (json: string) => JSON.parse(json) as number[];
    const published = new Set(numbers(all.published));
    const dead = new Set(numbers(all.dead));
    const versions = numbers(all.versions);
    const lengths = numbers(all.lengths);
    const languages = numbers(all.languages);
    for (const [i, local] of numbers(all.locals).entries()) {
      const version = versions[i]!;
      this.add(local, version, lengths[i]!, languages[i]!);
      if (published.has(version)) setBit(this.live, local);
      if (dead.has(version)) this.used--;
    }
    const retired = numbers(all.retired);
    for (const local of retired) this.#occupy(local);
    this.retire(retired);
  }

  #occupy(local: number): void {
    setBit(this.occupied, local);
    this.end = Math.max(this.end, local + 1);
  }

  add(local: number, version: number, length: number, language: number): void {
    this.#occupy(local);
    this.versionByLocal[local] = version;
    this.lengths[local] = length;
    this.languageByLocal[local] = language;
    this.used++;
  }

  /** Returns the lowest free local ids, or `undefined` if fewer than `count` are free. */
  findFreeIds(count: number, dimension: number | null): number[] | undefined {
    const found: number[] = [];
    const capacity = getShardCapacity(dimension);
    while (this.#lowestFree < capacity && hasBit(this.occupied, this.#lowestFree)) this.#lowestFree++;
    for (let local = this.#lowestFree; local < capacity && found.length < count; local++) {
      if (!hasBit(this.occupied, local)) found.push(local);
    }
    return found.length === count ? found : undefined;
  }

  /**
   * Returns a function that tells whether a local id belongs to a stored chunk. Returns `undefined` if no
   * deleted chunk occupies a local id.
   */
  createStoredFilter(): ((local: number) => boolean) | undefined {
    if (this.retiredCount === 0) return undefined;
    return (local) => hasBit(this.occupied, local) && !hasBit(this.#retired, local);
  }

  show(locals: number[]): void {
    for (const local of locals) setBit(this.live, local);
  }

  /** Removes chunks from the results of queries, because their version was replaced or removed. */
  hide(locals: number[]): void {
    for (const local of locals) clearBit(this.live, local);
    this.used -= locals.length;
  }

  /** Marks chunks as deleted while postings still contain their local ids. */
  retire(locals: number[]): void {
    for (const local of locals) setBit(this.#retired, local);
    this.retiredCount += locals.length;
  }

  /** Frees the local ids of deleted chunks that no posting contains any more. */
  release(locals: number[]): void {
    for (const local of locals) {
      clearBit(this.occupied, local);
      clearBit(this.#retired, local);
      this.#lowestFree = Math.min(this.#lowestFree, local);
    }
    this.retiredCount -= locals.length;
    this.released += locals.length;
  }
}
