import { DurableObject } from 'cloudflare:workers';
import { BadRequest, Conflict, TooLarge } from '../src/errors.ts';
import { type AnalysedChunk, analyseChunk } from '../src/search/analysis.ts';
import { countBits } from '../src/search/bitset.ts';
import type { LanguageCode } from '../src/search/languages.ts';
import { capacityOf, MOST_DIMENSIONS } from '../src/search/memory.ts';
import { RecentPostings } from '../src/search/postings.ts';
import type {
  IndexedChunk,
  IndexedDocument,
  Shard,
  ShardAnswer,
  ShardQuery,
  ShardStats,
  StoredChunk,
  TermStatistics,
} from '../src/search/types.ts';
import { normOf } from '../src/search/vectors.ts';
import {
  insertChunk,
  languageNumber,
  localsOfVersion,
  readChunks,
  readDocument,
} from './search-shard/chunk-rows.ts';
import { insertRecentPostings } from './search-shard/posting-runs.ts';
import { rankDense, rankSparse, statisticsOf } from './search-shard/ranking.ts';
import { Resident } from './search-shard/resident.ts';
import { IDS_IN_ONE_VALUE, slices } from './search-shard/slices.ts';
import { flushOverdue, hasUpkeep, reclaim, upkeep } from './search-shard/upkeep.ts';
import {
  describeVersion,
  forgetVersions,
  isPast,
  openVersion,
  versionsOf,
  writeTitleTerms,
  writeTombstones,
} from './search-shard/versions.ts';
import { upgrade } from './search-shard.schema.ts';

/** Long enough that a document staged in many calls is tidied up once. */
const UPKEEP_DELAY = 2_000;

/** One shard of a pipeline's managed index: its own SQLite, and what queries need of it in memory. */
export class SearchShard extends DurableObject implements Shard {
  readonly #sql: SqlStorage;
  #resident: Resident | undefined;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    state.blockConcurrencyWhile(async () => upgrade(this.#sql));
  }

  /** Nothing is read before it is needed: an object that only stages or deletes stays small. */
  get #awake(): Resident {
    this.#resident ??= new Resident(this.#sql);
    return this.#resident;
  }

  async stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<void> {
    const analysed = new Map(chunks.map((chunk) => [chunk.id, analyseChunk(chunk)]));
    const { documentId, version } = document;
    const staged = this.#transaction(() => {
      if (isPast(this.#sql, documentId, version)) return undefined;
      const dimension = this.#fixDimension(chunks);
      const row = openVersion(this.#sql, document);
      const missing = this.#missing(row.key, documentId, chunks);
      const languages = new Map<LanguageCode, number>();
      for (const { language } of analysed.values())
        languages.set(language, languageNumber(this.#sql, language));
      for (const code of languages.keys()) writeTitleTerms(this.#sql, row.key, document.title, code);
      const locals = this.#allocate(missing.length, dimension);
      const postings = new RecentPostings();
      const placed = missing.map((chunk, i) => {
        const { language, frequencies, length } = analysed.get(chunk.id)!;
        const local = locals[i]!;
        insertChunk(this.#sql, row.key, { local, chunk, length, language: languages.get(language)! });
        for (const [term, frequency] of frequencies) postings.add(term, local, frequency);
        return { local, chunk, length, language, frequencies };
      });
      insertRecentPostings(this.#sql, postings);
      return { key: row.key, languages, placed };
    });
    if (staged === undefined) return;
    this.#place(staged.key, staged.languages, staged.placed);
    await this.#scheduleUpkeep();
  }

  async publish(documentId: string, version: number, chunkCount: number): Promise<void> {
    const { shown, hidden } = this.#transaction(() => {
      if (isPast(this.#sql, documentId, version)) return { shown: [], hidden: [] };
      const versions = versionsOf(this.#sql, documentId);
      const row = versions.find((each) => each.version === version);
      const staged = row === undefined ? [] : localsOfVersion(this.#sql, row.key);
      if (row === undefined || staged.length !== chunkCount) {
        throw new Conflict(
          `version ${version} of ${documentId} has ${staged.length} of ${chunkCount} chunks`,
        );
      }
      const previous = versions.find((each) => each.published === 1);
      const replaced = previous === undefined ? [] : localsOfVersion(this.#sql, previous.key);
      forgetVersions(this.#sql, 'document_id = ? AND version < ?', documentId, version);
      this.#sql.exec('UPDATE version SET published = 1 WHERE key = ?', row.key);
      return { shown: staged, hidden: replaced };
    });
    if (shown.length + hidden.length === 0) return;
    this.#resident?.hide(hidden);
    this.#resident?.show(shown);
    await this.#scheduleUpkeep();
  }

  async describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void> {
    this.#transaction(() => {
      for (const row of versionsOf(this.#sql, document.documentId)) describeVersion(this.#sql, row, document);
    });
    this.#resident?.changed();
  }

  async remove(documentIds: string[], version: number): Promise<void> {
    const hidden = this.#transaction(() =>
      slices(documentIds, IDS_IN_ONE_VALUE).flatMap((slice) => {
        const ids = JSON.stringify(slice);
        const these = 'document_id IN (SELECT value FROM json_each(?)) AND version <= ?';
        writeTombstones(this.#sql, ids, version);
        const found = this.#sql
          .exec<{ locals: string }>(
            `SELECT json_group_array(local) AS locals FROM chunk
             WHERE version_key IN (SELECT key FROM version WHERE ${these})`,
            ids,
            version,
          )
          .one();
        forgetVersions(this.#sql, these, ids, version);
        return JSON.parse(found.locals) as number[];
      }),
    );
    this.#resident?.hide(hidden);
    await this.#scheduleUpkeep();
  }

  async statistics(text: string): Promise<TermStatistics> {
    return statisticsOf(this.#awake, text);
  }

  async query(query: ShardQuery): Promise<ShardAnswer> {
    const clock = stopwatch();
    const resident = this.#awake;
    clock.lap('wake');
    const allowed = resident.allowed(query.filters, query.documentIds);
    clock.lap('filter');
    const { text, vector } = query;
    let dense: Ranking = { hits: [], locals: [] };
    let sparse: Ranking = { hits: [], locals: [] };
    if (vector !== undefined) {
      this.#checkDimension(vector.length);
      dense = rankDense(this.#sql, resident, vector, allowed, query.denseTopK);
      clock.lap('dense');
    }
    if (text !== undefined) {
      const statistics = query.statistics ?? statisticsOf(resident, text);
      sparse = rankSparse(this.#sql, resident, text, statistics, allowed, query.sparseTopK);
      clock.lap('sparse');
    }
    const chunks = readChunks(this.#sql, [...new Set([...dense.locals, ...sparse.locals])]);
    clock.lap('chunks');
    return { dense: dense.hits, sparse: sparse.hits, chunks, timings: clock.laps };
  }

  async chunksOf(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]> {
    return readDocument(this.#sql, documentId, page);
  }

  async stats(): Promise<ShardStats> {
    const dimension = this.#dimension();
    const counts = this.#sql
      .exec<{ documents: number; staged: number }>(
        `SELECT (SELECT count(*) FROM version WHERE published = 1) AS documents,
           (SELECT count(*) FROM chunk WHERE version_key IN (
              SELECT key FROM version WHERE published = 0)) AS staged`,
      )
      .one();
    return {
      ...counts,
      chunks: countBits(this.#awake.live),
      capacity: capacityOf(dimension),
      bytes: this.#sql.databaseSize,
      dimension,
    };
  }

  async drop(): Promise<void> {
    this.#resident = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    upgrade(this.#sql);
  }

  /** One piece of upkeep at a time, so that queries come in between. */
  override async alarm(): Promise<void> {
    this.#transaction(() => upkeep(this.#sql, this.#awake, this.#dimension()));
    if (hasUpkeep(this.#sql)) await this.ctx.storage.setAlarm(Date.now());
  }

  async #scheduleUpkeep(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) !== null || !hasUpkeep(this.#sql)) return;
    await this.ctx.storage.setAlarm(Date.now() + UPKEEP_DELAY);
  }

  /** Memory that was changed on the way to a failed transaction is not to be trusted. */
  #transaction<T>(work: () => T): T {
    try {
      return this.ctx.storage.transactionSync(work);
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof BadRequest)) this.#resident = undefined;
      throw error;
    }
  }

  /** The chunks that are not staged yet. */
  #missing(versionKey: number, documentId: string, chunks: IndexedChunk[]): IndexedChunk[] {
    const rows = this.#sql.exec<{ id: string; position: number }>(
      `SELECT id, position FROM chunk
       WHERE version_key = ? AND position IN (SELECT value FROM json_each(?))`,
      versionKey,
      JSON.stringify(chunks.map((chunk) => chunk.position)),
    );
    const idAt = new Map([...rows].map((row) => [row.position, row.id]));
    return chunks.filter((chunk) => {
      const id = idAt.get(chunk.position);
      if (id !== undefined && id !== chunk.id) {
        throw new Conflict(`${documentId} has two chunks at position ${chunk.position}`);
      }
      idAt.set(chunk.position, chunk.id);
      return id === undefined;
    });
  }

  #allocate(count: number, dimension: number | null): number[] {
    flushOverdue(this.#sql, this.#awake, dimension);
    let locals = this.#awake.free(count, dimension);
    if (locals === undefined) {
      reclaim(this.#sql, this.#awake, dimension);
      locals = this.#awake.free(count, dimension);
    }
    if (locals === undefined)
      throw new TooLarge(`the shard takes ${capacityOf(dimension)} chunks and is full`);
    return locals;
  }

  #place(
    versionKey: number,
    languages: Map<LanguageCode, number>,
    placed: (AnalysedChunk & { local: number; chunk: IndexedChunk })[],
  ): void {
    const resident = this.#awake;
    for (const [code, number] of languages) resident.addLanguage(code, number);
    for (const { local, chunk, length, language, frequencies } of placed) {
      resident.place(local, versionKey, length, languages.get(language)!);
      resident.loadedCodes?.set(local, chunk.vector);
      for (const [term, frequency] of frequencies) resident.loadedRecent?.add(term, local, frequency);
    }
    resident.changed();
  }

  #dimension(): number | null {
    const rows = this.#sql.exec<{ value: number }>(`SELECT value FROM setting WHERE name = 'dimension'`);
    return rows.toArray()[0]?.value ?? null;
  }

  /** The first vector decides. */
  #fixDimension(chunks: IndexedChunk[]): number | null {
    const [first] = chunks;
    if (first === undefined) return this.#dimension();
    if (this.#dimension() === null) {
      if (first.vector.length === 0 || first.vector.length > MOST_DIMENSIONS) {
        throw new BadRequest(`vectors have 1 to ${MOST_DIMENSIONS} dimensions`);
      }
      this.#sql.exec(`INSERT INTO setting (name, value) VALUES ('dimension', ?)`, first.vector.length);
    }
    for (const { vector } of chunks) {
      this.#checkDimension(vector.length);
      if (!Number.isFinite(normOf(vector)))
        throw new BadRequest('a vector has components that are not numbers');
    }
    return first.vector.length;
  }

  #checkDimension(length: number): void {
    const dimension = this.#dimension();
    if (dimension !== null && dimension !== length) {
      throw new Conflict(`the index holds vectors of ${dimension} dimensions, not ${length}`);
    }
  }
}

type Ranking = ReturnType<typeof rankDense>;

function stopwatch(): { laps: Record<string, number>; lap(name: string): void } {
  const laps: Record<string, number> = {};
  let last = performance.now();
  return {
    laps,
    lap(name) {
      const now = performance.now();
      laps[name] = (now - last) / 1000;
      last = now;
    },
  };
}
