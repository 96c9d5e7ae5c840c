import type { ChunkMetadata, Filters } from '#src/ports/index-types.ts';
import type { ShardQuery, SplitDocuments } from '#src/ports/shard.ts';
import { combineBits, countBits, hasBit, listBits, setBit, toBitset } from '#src/search/bitset.ts';
import { SparseScores } from '#src/search/bm25.ts';
import type { DenseCodes } from '#src/search/dense.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { AT, MASK_BYTES, ShardMemory } from '#src/search/memory.ts';
import { addPostings, joinPostings, type Postings } from '#src/search/postings.ts';
import { RecentPostings } from '#src/search/recent-postings.ts';
import { readVersionLocals } from '../chunks/chunk-rows.ts';
import { ChunkTable } from '../chunks/chunk-table.ts';
import { readDecidedVersions, readHeldLocals } from '../chunks/split-documents.ts';
import { readDimension } from '../vectors/dimension.ts';
import { applyChunkMetadata } from './chunk-metadata.ts';
import { loadCodes } from './code-segments.ts';
import { findDisabledChunks, findMatchingChunks } from './filter-bits.ts';
import { findMatchingVersions } from './filter-rows.ts';
import { type MemoryBudget, PostingCache } from './posting-cache.ts';
import { findPostings } from './posting-runs.ts';
import { countRecent, readRecentPostings } from './recent-batches.ts';
import { toSlices } from './slices.ts';
import { readTitlePostings } from './title-postings.ts';

const CACHED_FILTERS = 16;
const CACHED_VIEWS = 4;
/**
 * Maximum number of versions whose chunks are looked up in the database. For more versions, filtering all
 * chunks in memory is faster.
 */
const MAX_LOOKED_UP_VERSIONS = 2_000;

/** Number of terms whose postings are read in one statement. A frequent term has up to 200 KB of postings. */
const TERMS_PER_READ = 32;

/** Chunks that a query may find, with their word statistics. */
export interface View {
  /** Visible chunks, one bit per local id. */
  visible: Uint8Array;
  documentCount: number;
  totalLength: number;
  /** Number of chunks that this shard holds of each document in the query's `split`, by document id. */
  held: Record<string, number>;
}

/** Data that a loaded shard keeps in memory for queries. The database contains the same data. */
export class Resident {
  /** Number of bytes that the data takes in memory right after loading. */
  static readonly INITIAL_BYTES = AT.codes + ChunkTable.BYTES;
  readonly memory = new ShardMemory();
  readonly scores = new SparseScores(this.memory);
  readonly chunks: ChunkTable;
  readonly #languages = new Map<LanguageCode, number>();
  readonly #sql: SqlStorage;
  readonly #budget: MemoryBudget;
  /** Number that increases with every change that could affect the result of a query. */
  revision = 0;
  /** Number of chunks whose codes and postings are not yet written to segments and runs. */
  recentCount = 0;
  #views = new Map<string, View>();
  #decided: SplitDocuments | undefined;
  #codes: DenseCodes | undefined;
  #recent: RecentPostings | undefined;
  readonly #postings: PostingCache;
  #filtered = new Map<string, Uint8Array>();

  constructor(sql: SqlStorage, room: MemoryBudget) {
    this.#sql = sql;
    this.#budget = room;
    this.#postings = new PostingCache(room);
    for (const { number, code } of sql.exec<{ number: number; code: LanguageCode }>(
      'SELECT * FROM language',
    )) {
      this.#languages.set(code, number);
    }
    this.chunks = new ChunkTable(sql);
    this.recentCount = countRecent(sql);
    // Recent postings are kept in memory from the start, so that they need not be read before they are
    // written to a run.
    if (this.recentCount === 0) this.#recent = new RecentPostings();
  }

  /** Clears everything that was computed for queries, because the data has changed. */
  invalidate(): void {
    this.revision++;
    this.#postings.forgetWhole();
    this.#filtered.clear();
    this.#views.clear();
    this.#decided = undefined;
  }

  show(locals: number[]): void {
    this.chunks.show(locals);
    this.invalidate();
  }

  hide(locals: number[]): void {
    this.chunks.hide(locals);
    this.invalidate();
  }

  addLanguage(code: LanguageCode, number: number): void {
    this.#languages.set(code, number);
  }

  /**
   * Returns the number that represents a language in the database, or `undefined` if no chunk has used the
   * language yet.
   */
  getLanguageNumber(code: LanguageCode): number | undefined {
    return this.#languages.get(code);
  }

  listLanguages(): LanguageCode[] {
    return [...this.#languages.keys()];
  }

  /** Returns the visible versions of documents that span several shards and whose first shard is this one. */
  getDecidedVersions(): SplitDocuments {
    this.#decided ??= readDecidedVersions(this.#sql);
    return this.#decided;
  }

  getView(split: SplitDocuments | undefined): View {
    const key = split === undefined ? '' : JSON.stringify(split);
    let view = this.#views.get(key);
    if (view === undefined) {
      view = this.#newView(split);
      if (this.#views.size >= CACHED_VIEWS) this.#views.clear();
      this.#views.set(key, view);
    }
    return view;
  }

  #newView(split: SplitDocuments | undefined): View {
    const { live, lengths, end } = this.chunks;
    const visible = split === undefined ? live : live.slice();
    const held: Record<string, number> = {};
    for (const [documentId, locals] of Object.entries(split ? readHeldLocals(this.#sql, split) : {})) {
      for (const local of locals) setBit(visible, local);
      held[documentId] = locals.length;
    }
    let totalLength = 0;
    for (let i = 0; i < end; i++) if (hasBit(visible, i)) totalLength += lengths[i]!;
    return { visible, held, documentCount: countBits(visible), totalLength };
  }

  getCodes(): DenseCodes {
    this.#codes ??= loadCodes(this.#sql, this.memory, readDimension(this.#sql) ?? 0, {
      end: this.chunks.end,
      makeRoom: (bytes) => this.#budget.reserve(bytes),
    });
    return this.#codes;
  }

  /**
   * Vector codes of all chunks, or `undefined` if they are not in memory. Staging updates the codes only
   * while they are in memory.
   */
  get loadedCodes(): DenseCodes | undefined {
    return this.#codes;
  }

  getRecent(): RecentPostings {
    if (this.#recent === undefined) {
      this.#recent = readRecentPostings(this.#sql);
      this.#budget.reserve(0);
    }
    return this.#recent;
  }

  get loadedRecent(): RecentPostings | undefined {
    return this.#recent;
  }

  /** Clears the recent postings after they were written to a run. */
  clearRecent(): void {
    this.#recent = new RecentPostings();
    this.recentCount = 0;
    this.forgetPostings();
  }

  /** Clears the cache of postings, because the runs have changed. */
  forgetPostings(): void {
    this.#postings.forget();
  }

  /** Approximate number of bytes that the data takes in memory. */
  get bytes(): number {
    const bits = (this.#views.size + this.#filtered.size) * MASK_BYTES;
    const postings = this.#postings.bytes + (this.#recent?.bytes ?? 0);
    return this.memory.byteLength + ChunkTable.BYTES + bits + postings;
  }

  /**
   * Yields each term with the chunks that contain it in their text, headings, title or keywords, including chunks that
   * are not visible. Only `TERMS_PER_READ` terms are in memory at the same time, besides those that the cache holds.
   */
  *readPostings(terms: Iterable<string>): Generator<[term: string, postings: Postings]> {
    for (const slice of toSlices([...terms], TERMS_PER_READ)) {
      const missing = this.#postings.listMissing(slice);
      const unread = this.#postings.listMissingInRuns(missing);
      const read = unread.length > 0 ? findPostings(this.#sql, unread) : undefined;
      const titled = missing.length > 0 ? readTitlePostings(this.#sql, missing) : undefined;
      for (const term of slice) yield [term, this.#getPostings(term, read?.get(term), titled?.get(term))];
    }
  }

  /** Returns the postings of a term from the cache, or joins those that were read. */
  #getPostings(term: string, read: Postings | undefined, titled: Postings | undefined): Postings {
    return this.#postings.whole(term, () => {
      // The cache may have dropped the term since it was looked for, because it was full.
      const inRuns = this.#postings.inRuns(term, () => read ?? findPostings(this.#sql, [term]).get(term)!);
      const inTexts = joinPostings([inRuns, ...this.#recentPostings(term)]);
      return addPostings(inTexts, titled ?? readTitlePostings(this.#sql, [term]).get(term)!);
    });
  }

  #recentPostings(term: string): Postings[] {
    const found = this.getRecent().get(term);
    return found === undefined ? [] : [found];
  }

  #findVersionLocals(versions: number[]): number[] {
    if (versions.length <= MAX_LOOKED_UP_VERSIONS) return readVersionLocals(this.#sql, versions);
    const wanted = new Set(versions);
    const { occupied, versionByLocal } = this.chunks;
    return listBits(occupied).filter((local) => wanted.has(versionByLocal[local]!));
  }

  /**
   * Returns the keys of all versions with at least one chunk that passes the filters, including staged
   * versions.
   */
  findMatchingVersions(filters: Filters, chunkMetadata?: ChunkMetadata[]): Set<number> {
    const { occupied, versionByLocal } = this.chunks;
    const found = findMatchingChunks(this.#sql, filters, (documentFilters) =>
      documentFilters === undefined
        ? occupied
        : toBitset(
            this.#findVersionLocals(findMatchingVersions(this.#sql, documentFilters, 'all')),
            MASK_BYTES,
          ),
    );
    const bits = applyChunkMetadata(this.#sql, { found, among: occupied, filters, chunkMetadata });
    return new Set(listBits(bits).map((local) => versionByLocal[local]!));
  }

  /** Returns the chunks (bits) that a query may find. */
  getAllowedChunks(
    view: View,
    {
      filters,
      split,
      disabled = [],
      chunkMetadata,
    }: Pick<ShardQuery, 'filters' | 'split' | 'disabled' | 'chunkMetadata'>,
  ): Uint8Array {
    if (filters === undefined && disabled.length === 0) return view.visible;
    const key = JSON.stringify([filters, split, disabled, chunkMetadata]);
    let bits = this.#filtered.get(key);
    if (bits === undefined) {
      bits = this.#findFiltered(view, { filters, split, chunkMetadata });
      if (disabled.length > 0) bits = combineBits(bits, findDisabledChunks(this.#sql, disabled), 'less');
      if (this.#filtered.size >= CACHED_FILTERS) this.#filtered.clear();
      this.#filtered.set(key, bits);
    }
    return bits;
  }

  #findFiltered(
    view: View,
    { filters, split, chunkMetadata }: Pick<ShardQuery, 'filters' | 'split' | 'chunkMetadata'>,
  ): Uint8Array {
    if (filters === undefined) return view.visible;
    const which = split === undefined ? 'published' : 'all';
    const found = findMatchingChunks(this.#sql, filters, (documentFilters) => {
      if (documentFilters === undefined) return view.visible;
      const locals = this.#findVersionLocals(findMatchingVersions(this.#sql, documentFilters, which));
      return toBitset(
        locals.filter((local) => hasBit(view.visible, local)),
        MASK_BYTES,
      );
    });
    return applyChunkMetadata(this.#sql, { found, among: view.visible, filters, chunkMetadata });
  }
}
