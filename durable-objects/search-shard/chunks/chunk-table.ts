import { clearBit, hasBit, setBit } from '#src/search/bitset.ts';
import { capacityOf, MASK_BYTES, MOST_CHUNKS } from '#src/search/memory.ts';

/** What is kept in memory of each chunk, by local id. */
export class ChunkTable {
  static readonly BYTES = 3 * MASK_BYTES + 9 * MOST_CHUNKS;
  /** Chunks that queries see, those of documents in several shards apart. */
  readonly live = new Uint8Array(MASK_BYTES);
  /** Local ids that are taken, be it by postings alone. */
  readonly occupied = new Uint8Array(MASK_BYTES);
  readonly lengths = new Float32Array(MOST_CHUNKS);
  readonly versionOf = new Uint32Array(MOST_CHUNKS);
  readonly languageOf = new Uint8Array(MOST_CHUNKS);
  /** Local ids that are taken by postings alone. */
  readonly #retired = new Uint8Array(MASK_BYTES);
  retiredCount = 0;
  /** Chunks of versions that were not replaced or removed, staged ones included. */
  used = 0;
  /** One more than the highest local id in use. */
  end = 0;
  /** Counts the local ids that became free again. */
  released = 0;
  #lowestFree = 0;

  constructor(sql: SqlStorage) {
    // One row of arrays is read several times faster than a row for each chunk.
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
    this.versionOf[local] = version;
    this.lengths[local] = length;
    this.languageOf[local] = language;
    this.used++;
  }

  /** Free local ids, lowest first; undefined when the shard has not that many. */
  free(count: number, dimension: number | null): number[] | undefined {
    const found: number[] = [];
    const capacity = capacityOf(dimension);
    while (this.#lowestFree < capacity && hasBit(this.occupied, this.#lowestFree)) this.#lowestFree++;
    for (let local = this.#lowestFree; local < capacity && found.length < count; local++) {
      if (!hasBit(this.occupied, local)) found.push(local);
    }
    return found.length === count ? found : undefined;
  }

  /** Tells the local ids that stand for a stored chunk; undefined while all of them do. */
  standing(): ((local: number) => boolean) | undefined {
    if (this.retiredCount === 0) return undefined;
    return (local) => hasBit(this.occupied, local) && !hasBit(this.#retired, local);
  }

  show(locals: number[]): void {
    for (const local of locals) setBit(this.live, local);
  }

  /** Their versions were replaced or removed. */
  hide(locals: number[]): void {
    for (const local of locals) clearBit(this.live, local);
    this.used -= locals.length;
  }

  /** The chunks are gone, their postings are not. */
  retire(locals: number[]): void {
    for (const local of locals) setBit(this.#retired, local);
    this.retiredCount += locals.length;
  }

  /** No posting mentions these retired ones any more. */
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
