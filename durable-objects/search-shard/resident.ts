import { clearBit, countBits, hasBit, listBits, setBit } from '../../src/search/bitset.ts';
import { SparseScores } from '../../src/search/bm25.ts';
import type { DenseCodes } from '../../src/search/dense.ts';
import type { LanguageCode } from '../../src/search/languages.ts';
import { capacityOf, MASK_BYTES, MOST_CHUNKS, ShardMemory } from '../../src/search/memory.ts';
import { joinPostings, type Postings, type RecentPostings } from '../../src/search/postings.ts';
import type { Filters } from '../../src/search/types.ts';
import { localsOfVersions } from './chunk-rows.ts';
import { loadCodes } from './code-segments.ts';
import { versionsMatching } from './filter-rows.ts';
import { findPostings, readRecentPostings } from './posting-runs.ts';

const CACHED_POSTING_BYTES = 16_000_000;
const CACHED_FILTERS = 16;
/** Up to so many versions their chunks are looked up; above, all chunks are gone through. */
const LOOKED_UP_VERSIONS = 2_000;

/** What a shard that is awake keeps in memory. All of it is in the database too. */
export class Resident {
  readonly memory = new ShardMemory();
  readonly scores = new SparseScores(this.memory);
  /** Chunks that queries see. */
  readonly live = new Uint8Array(MASK_BYTES);
  /** Local ids that are taken, be it by postings alone. */
  readonly occupied = new Uint8Array(MASK_BYTES);
  readonly lengths = new Float32Array(MOST_CHUNKS);
  readonly #versionOf = new Uint32Array(MOST_CHUNKS);
  readonly #languageOf = new Uint8Array(MOST_CHUNKS);
  readonly #languages = new Map<LanguageCode, number>();
  readonly #sql: SqlStorage;
  /** One more than the highest local id in use. */
  end = 0;
  /** Changes with everything that a query could notice. */
  revision = 0;
  #totals = { revision: -1, documentCount: 0, totalLength: 0 };
  #codes: DenseCodes | undefined;
  #recent: RecentPostings | undefined;
  #inRuns = new Map<string, Postings>();
  #terms = new Map<string, Postings>();
  #cachedBytes = 0;
  #filtered = new Map<string, Uint8Array>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const { number, code } of sql.exec<{ number: number; code: LanguageCode }>(
      'SELECT * FROM language',
    )) {
      this.#languages.set(code, number);
    }
    // One row of arrays is read several times faster than a row for each chunk.
    const all = sql
      .exec<Record<'locals' | 'versions' | 'lengths' | 'languages' | 'retired' | 'published', string>>(
        `SELECT json_group_array(local) AS locals, json_group_array(version_key) AS versions,
           json_group_array(length) AS lengths, json_group_array(language) AS languages,
           (SELECT json_group_array(local) FROM retired) AS retired,
           (SELECT json_group_array(key) FROM version WHERE published = 1) AS published
         FROM chunk`,
      )
      .one();
    const numbers = (json: string) => JSON.parse(json) as number[];
    const published = new Set(numbers(all.published));
    const versions = numbers(all.versions);
    const lengths = numbers(all.lengths);
    const languages = numbers(all.languages);
    for (const [i, local] of numbers(all.locals).entries()) {
      this.place(local, versions[i]!, lengths[i]!, languages[i]!);
      if (published.has(versions[i]!)) setBit(this.live, local);
    }
    for (const local of numbers(all.retired)) this.#occupy(local);
  }

  #occupy(local: number): void {
    setBit(this.occupied, local);
    this.end = Math.max(this.end, local + 1);
  }

  place(local: number, version: number, length: number, language: number): void {
    this.#occupy(local);
    this.#versionOf[local] = version;
    this.lengths[local] = length;
    this.#languageOf[local] = language;
  }

  /** Free local ids, lowest first; undefined when the shard has not that many. */
  free(count: number, dimension: number | null): number[] | undefined {
    const found: number[] = [];
    const capacity = capacityOf(dimension);
    for (let local = 0; local < capacity && found.length < count; local++) {
      if (!hasBit(this.occupied, local)) found.push(local);
    }
    return found.length === count ? found : undefined;
  }

  /** No posting mentions these any more. */
  release(locals: number[]): void {
    for (const local of locals) clearBit(this.occupied, local);
  }

  /** Something changed: what was worked out for queries no longer holds. */
  changed(): void {
    this.revision++;
    this.#terms.clear();
    this.#filtered.clear();
  }

  show(locals: number[]): void {
    for (const local of locals) setBit(this.live, local);
    this.changed();
  }

  hide(locals: number[]): void {
    for (const local of locals) clearBit(this.live, local);
    this.changed();
  }

  addLanguage(code: LanguageCode, number: number): void {
    this.#languages.set(code, number);
  }

  languages(): LanguageCode[] {
    return [...this.#languages.keys()];
  }

  totals(): { documentCount: number; totalLength: number } {
    if (this.#totals.revision !== this.revision) {
      let totalLength = 0;
      for (let i = 0; i < this.end; i++) if (hasBit(this.live, i)) totalLength += this.lengths[i]!;
      this.#totals = { revision: this.revision, documentCount: countBits(this.live), totalLength };
    }
    return this.#totals;
  }

  codes(dimension: number): DenseCodes {
    this.#codes ??= loadCodes(this.#sql, this.memory, dimension);
    return this.#codes;
  }

  /** For staging: undefined when they are not in memory and will be read when needed. */
  get loadedCodes(): DenseCodes | undefined {
    return this.#codes;
  }

  recent(): RecentPostings {
    this.#recent ??= readRecentPostings(this.#sql);
    return this.#recent;
  }

  get loadedRecent(): RecentPostings | undefined {
    return this.#recent;
  }

  /** The recent postings became a run, or runs were merged. */
  postingsMoved(): void {
    this.#recent = undefined;
    this.#inRuns.clear();
    this.#terms.clear();
    this.#cachedBytes = 0;
  }

  /** The chunks that contain a term in their text, headings or title. Hidden ones among them. */
  postings(term: string): Postings {
    let found = this.#terms.get(term);
    if (found === undefined) {
      found = this.#withTitles(
        term,
        joinPostings([this.#postingsInRuns(term), ...this.#recentPostings(term)]),
      );
      if (found !== this.#inRuns.get(term)) this.#cachedBytes += 3 * found.ids.length;
      this.#terms.set(term, found);
    }
    return found;
  }

  #recentPostings(term: string): Postings[] {
    const found = this.recent().get(term);
    return found === undefined ? [] : [found];
  }

  #postingsInRuns(term: string): Postings {
    let found = this.#inRuns.get(term);
    if (found === undefined) {
      found = findPostings(this.#sql, term);
      this.#cachedBytes += 3 * found.ids.length + 2 * term.length + 100;
      if (this.#cachedBytes > CACHED_POSTING_BYTES) this.#forgetPostings();
      this.#inRuns.set(term, found);
    }
    return found;
  }

  #forgetPostings(): void {
    this.#inRuns.clear();
    this.#terms.clear();
    this.#cachedBytes = 0;
  }

  /** A term of the title counts for every chunk of the document that is in the term's language. */
  #withTitles(term: string, postings: Postings): Postings {
    const titles = new Map(
      [
        ...this.#sql.exec<{ version_key: number; frequency: number }>(
          `SELECT t.version_key, t.frequency FROM title_term t JOIN version v ON v.key = t.version_key
           WHERE t.term = ? AND v.published = 1`,
          term,
        ),
      ].map((row) => [row.version_key, row.frequency]),
    );
    if (titles.size === 0) return postings;
    const language = this.#languages.get(term.slice(0, term.indexOf(':')) as LanguageCode);
    const frequencies = new Uint8Array(MOST_CHUNKS);
    for (const local of this.#localsOf([...titles.keys()])) {
      if (this.#languageOf[local] === language) frequencies[local] = titles.get(this.#versionOf[local]!)!;
    }
    for (const [i, local] of postings.ids.entries()) {
      frequencies[local] = Math.min(255, frequencies[local]! + postings.frequencies[i]!);
    }
    const ids: number[] = [];
    for (let local = 0; local < this.end; local++) if (frequencies[local]! > 0) ids.push(local);
    return { ids: Uint16Array.from(ids), frequencies: Uint8Array.from(ids, (local) => frequencies[local]!) };
  }

  #localsOf(versions: number[]): number[] {
    if (versions.length <= LOOKED_UP_VERSIONS) return localsOfVersions(this.#sql, versions);
    const wanted = new Set(versions);
    return listBits(this.live).filter((local) => wanted.has(this.#versionOf[local]!));
  }

  /** The chunks (bits) that a query may find. */
  allowed(filters: Filters | undefined, documentIds: string[] | undefined): Uint8Array {
    if (filters === undefined && documentIds === undefined) return this.live;
    const key = JSON.stringify([filters, documentIds]);
    let bits = this.#filtered.get(key);
    if (bits === undefined) {
      bits = new Uint8Array(MASK_BYTES);
      const locals = this.#localsOf(versionsMatching(this.#sql, filters, documentIds));
      for (const local of locals) if (hasBit(this.live, local)) setBit(bits, local);
      if (this.#filtered.size >= CACHED_FILTERS) this.#filtered.clear();
      this.#filtered.set(key, bits);
    }
    return bits;
  }
}
