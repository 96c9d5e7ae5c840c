import type { Filters } from '#src/ports/index-types.ts';
import type { ShardQuery, SplitDocuments } from '#src/ports/shard.ts';
import { bitsOf, countBits, hasBit, listBits, setBit } from '#src/search/bitset.ts';
import { SparseScores } from '#src/search/bm25.ts';
import type { DenseCodes } from '#src/search/dense.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { AT, MASK_BYTES, ShardMemory } from '#src/search/memory.ts';
import { addPostings, joinPostings, type Postings } from '#src/search/postings.ts';
import { RecentPostings } from '#src/search/recent-postings.ts';
import { localsOfVersions } from '../chunks/chunk-rows.ts';
import { ChunkTable } from '../chunks/chunk-table.ts';
import { decidedHere, heldHere } from '../chunks/split-documents.ts';
import { dimensionOf } from '../vectors/dimension.ts';
import { loadCodes } from './code-segments.ts';
import { matchingChunks } from './filter-bits.ts';
import { versionsMatching } from './filter-rows.ts';
import { PostingCache, type Room } from './posting-cache.ts';
import { findPostings } from './posting-runs.ts';
import { countRecent, readRecentPostings } from './recent-batches.ts';
import { readTitlePostings } from './title-postings.ts';

const CACHED_FILTERS = 16;
const CACHED_VIEWS = 4;
/** Up to so many versions their chunks are looked up; above, all chunks are gone through. */
const LOOKED_UP_VERSIONS = 2_000;

/** What one query may see. */
export interface View {
  /** Chunks, as bits. */
  visible: Uint8Array;
  documentCount: number;
  totalLength: number;
  /** Chunks of each document that the query named in `split`. */
  held: Record<string, number>;
}

/** What a shard that is awake keeps in memory. All of it is in the database too. */
export class Resident {
  /** As soon as it is made. */
  static readonly LEAST_BYTES = AT.codes + ChunkTable.BYTES;
  readonly memory = new ShardMemory();
  readonly scores = new SparseScores(this.memory);
  readonly chunks: ChunkTable;
  readonly #languages = new Map<LanguageCode, number>();
  readonly #sql: SqlStorage;
  readonly #room: Room;
  /** Changes with everything that a query could notice. */
  revision = 0;
  /** Chunks whose codes and postings are not in order yet. */
  recentCount = 0;
  #views = new Map<string, View>();
  #decided: SplitDocuments | undefined;
  #codes: DenseCodes | undefined;
  #recent: RecentPostings | undefined;
  readonly #postings: PostingCache;
  #filtered = new Map<string, Uint8Array>();

  constructor(sql: SqlStorage, room: Room) {
    this.#sql = sql;
    this.#room = room;
    this.#postings = new PostingCache(room);
    for (const { number, code } of sql.exec<{ number: number; code: LanguageCode }>(
      'SELECT * FROM language',
    )) {
      this.#languages.set(code, number);
    }
    this.chunks = new ChunkTable(sql);
    this.recentCount = countRecent(sql);
    // Kept up to date by staging, so that putting them in order need not read them again.
    if (this.recentCount === 0) this.#recent = new RecentPostings();
  }

  /** Something changed: what was worked out for queries no longer holds. */
  changed(): void {
    this.revision++;
    this.#postings.forgetWhole();
    this.#filtered.clear();
    this.#views.clear();
    this.#decided = undefined;
  }

  show(locals: number[]): void {
    this.chunks.show(locals);
    this.changed();
  }

  hide(locals: number[]): void {
    this.chunks.hide(locals);
    this.changed();
  }

  addLanguage(code: LanguageCode, number: number): void {
    this.#languages.set(code, number);
  }

  /** The number that stands for a language in the database, once there are chunks in it. */
  languageNumber(code: LanguageCode): number | undefined {
    return this.#languages.get(code);
  }

  languages(): LanguageCode[] {
    return [...this.#languages.keys()];
  }

  /** Documents in several shards, of which this one is the first. */
  decided(): SplitDocuments {
    this.#decided ??= decidedHere(this.#sql);
    return this.#decided;
  }

  view(split: SplitDocuments | undefined): View {
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
    for (const [documentId, locals] of Object.entries(split ? heldHere(this.#sql, split) : {})) {
      for (const local of locals) setBit(visible, local);
      held[documentId] = locals.length;
    }
    let totalLength = 0;
    for (let i = 0; i < end; i++) if (hasBit(visible, i)) totalLength += lengths[i]!;
    return { visible, held, documentCount: countBits(visible), totalLength };
  }

  codes(): DenseCodes {
    this.#codes ??= loadCodes(this.#sql, this.memory, dimensionOf(this.#sql) ?? 0, {
      end: this.chunks.end,
      makeRoom: (bytes) => this.#room.make(bytes),
    });
    return this.#codes;
  }

  /** For staging: undefined when they are not in memory and will be read when needed. */
  get loadedCodes(): DenseCodes | undefined {
    return this.#codes;
  }

  recent(): RecentPostings {
    if (this.#recent === undefined) {
      this.#recent = readRecentPostings(this.#sql);
      this.#room.make(0);
    }
    return this.#recent;
  }

  get loadedRecent(): RecentPostings | undefined {
    return this.#recent;
  }

  /** The recent postings became a run. */
  recentMoved(): void {
    this.#recent = new RecentPostings();
    this.recentCount = 0;
    this.forgetPostings();
  }

  /** The runs hold something else than before. */
  forgetPostings(): void {
    this.#postings.forget();
  }

  /** What of this is in memory, with what the runtime needs for it. */
  get bytes(): number {
    const bits = (this.#views.size + this.#filtered.size) * MASK_BYTES;
    const postings = this.#postings.bytes + (this.#recent?.bytes ?? 0);
    return this.memory.byteLength + ChunkTable.BYTES + bits + postings;
  }

  /** The chunks that contain a term in their text, headings, title or keywords. Hidden ones among them. */
  postings(term: string): Postings {
    return this.#postings.whole(term, () => {
      const inRuns = this.#postings.inRuns(term, () => findPostings(this.#sql, term));
      const inTexts = joinPostings([inRuns, ...this.#recentPostings(term)]);
      return addPostings(inTexts, readTitlePostings(this.#sql, term));
    });
  }

  #recentPostings(term: string): Postings[] {
    const found = this.recent().get(term);
    return found === undefined ? [] : [found];
  }

  #localsOf(versions: number[]): number[] {
    if (versions.length <= LOOKED_UP_VERSIONS) return localsOfVersions(this.#sql, versions);
    const wanted = new Set(versions);
    const { occupied, versionOf } = this.chunks;
    return listBits(occupied).filter((local) => wanted.has(versionOf[local]!));
  }

  /** The keys of all versions, staged ones too, that have a chunk which the filters let through. */
  versionsMatching(filters: Filters): Set<number> {
    const { occupied, versionOf } = this.chunks;
    const bits = matchingChunks(this.#sql, filters, (asked) =>
      asked === undefined
        ? occupied
        : bitsOf(this.#localsOf(versionsMatching(this.#sql, asked, 'all')), MASK_BYTES),
    );
    return new Set(listBits(bits).map((local) => versionOf[local]!));
  }

  /** The chunks (bits) that a query may find. */
  allowed(view: View, { filters, split }: Pick<ShardQuery, 'filters' | 'split'>): Uint8Array {
    if (filters === undefined) return view.visible;
    const key = JSON.stringify([filters, split]);
    let bits = this.#filtered.get(key);
    if (bits === undefined) {
      const which = split === undefined ? 'published' : 'all';
      bits = matchingChunks(this.#sql, filters, (asked) => {
        if (asked === undefined) return view.visible;
        const locals = this.#localsOf(versionsMatching(this.#sql, asked, which));
        return bitsOf(
          locals.filter((local) => hasBit(view.visible, local)),
          MASK_BYTES,
        );
      });
      if (this.#filtered.size >= CACHED_FILTERS) this.#filtered.clear();
      this.#filtered.set(key, bits);
    }
    return bits;
  }
}
