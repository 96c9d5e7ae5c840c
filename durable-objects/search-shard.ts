import { BadRequest, Conflict } from '#src/lib/errors.ts';
import type {
  ChunkMetadata,
  DocumentDescription,
  Filters,
  IndexedChunk,
  IndexedDocument,
  StoredChunk,
} from '#src/ports/index-types.ts';
import type {
  ChunkPlace,
  PointPlace,
  Removal,
  Shard,
  ShardAnswer,
  ShardQuery,
  ShardStats,
  ShardVersion,
  SplitDocuments,
  Staged,
  StagedPart,
  TermStatistics,
} from '#src/ports/shard.ts';
import { getShardCapacity } from '#src/search/memory.ts';
import { AlarmClock } from './search-shard/alarm-clock.ts';
import { answerQuery } from './search-shard/answer.ts';
import { findChunkPlace, readDocumentChunks } from './search-shard/chunks/chunk-rows.ts';
import {
  addStagedToMemory,
  analyseChunks,
  selectWholeParts,
  writeStaged,
  writeTogether,
} from './search-shard/chunks/staging.ts';
import { readStats } from './search-shard/chunks/stats.ts';
import {
  listDocumentIds,
  markVersionsDead,
  type Published,
  publishVersion,
  readShardVersions,
  readVersions,
  updateVersion,
  writeTombstones,
} from './search-shard/chunks/versions.ts';
import { completeRemovals, listPendingRemovals, recordRemovals } from './search-shard/pending-removals.ts';
import { MAX_IDS_PER_VALUE, toSlices } from './search-shard/postings/slices.ts';
import { collectStatistics } from './search-shard/ranking.ts';
import { ResidentLoader } from './search-shard/resident-loader.ts';
import { createStopwatch } from './search-shard/stopwatch.ts';
import {
  canFreeLocalIds,
  findNextStep,
  flush,
  getQuietFlushTime,
  isFlushDue,
} from './search-shard/upkeep.ts';
import { publishedPoints, samplePoints } from './search-shard/vectors/point-places.ts';
import { VectorizeSearch } from './search-shard/vectors/vectorize-search.ts';
import { SHARD_UPGRADES } from './search-shard.schema.ts';
import { upgradeStorage } from './storage-upgrades.ts';
import { TracedObject } from './traced-object.ts';

/** Delay in milliseconds before upkeep, so that a document staged in many calls is cleaned up only once. */
const UPKEEP_DELAY_MS = 2_000;
const MAX_STEPS_PER_ALARM = 200;
/**
 * Share of the capacity at which a shard reports that it is full. New documents then go to another shard. The
 * rest is reserved for documents that grow.
 */
const FULL_SHARE = 0.75;

/**
 * One shard of a pipeline's managed index. It consists of an SQLite database and the data that queries need
 * in memory.
 */
export class SearchShard extends TracedObject implements Shard {
  readonly #sql: SqlStorage;
  readonly #memory: ResidentLoader;
  /** True if cleaning up the shard's storage (upkeep) may be due. A new instance assumes that it is. */
  #upkeepIsDue = true;
  readonly #alarm = new AlarmClock(this.ctx.storage, this.objectAlarm);
  /** True if chunks were staged since the last alarm. */
  #hasStaged = false;
  #vectorizeSearch: VectorizeSearch | undefined;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    upgradeStorage(state.storage, SHARD_UPGRADES);
    this.#vectorizeSearch = VectorizeSearch.createIfBound(state.storage, env);
    this.#memory = new ResidentLoader(this.#sql, env, () => this.#vectorizeSearch?.mirror);
  }

  /**
   * Data that queries need in memory. It is loaded on first use, so that an object that only deletes needs
   * little memory.
   */
  get #resident() {
    return this.#memory.load();
  }

  async stage(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged> {
    const [staged] = await this.stageMany([{ document, chunks, chunkCount }]);
    return staged!;
  }

  /**
   * Stages several documents. Whole documents are written in one transaction. Nothing is awaited between the others if
   * they fit, so that Cloudflare commits them together.
   */
  async stageMany(parts: StagedPart[]): Promise<Staged[]> {
    return this.#memory.withPinnedMemory(async () => {
      const together = this.#stageTogether(parts);
      const staged: Staged[] = [];
      for (const part of parts) staged.push(together.get(part) ?? (await this.#stage(part)));
      await this.#scheduleUpkeep();
      return staged;
    });
  }

  /**
   * Stages and publishes whole documents of which the shard has no version that is as new. Returns the results of these
   * documents. The others have to be staged one by one.
   */
  #stageTogether(parts: readonly StagedPart[]): Map<StagedPart, Staged> {
    const results = new Map<StagedPart, Staged>();
    const whole = selectWholeParts(this.#sql, parts);
    if (whole.length < 2) return results;
    const analysed = whole.map(({ document, chunks }) => ({ document, analysed: analyseChunks(chunks) }));
    this.#flushIfDue();
    const written = this.#transaction(() => writeTogether(this.#sql, this.#resident, analysed));
    if (written === undefined) return results;
    addStagedToMemory(this.#resident, written.staged);
    this.#hasStaged = true;
    this.#applyPublished(written.published);
    const full = this.#isFull(written.staged.dimension);
    for (const part of whole) results.set(part, { placed: true, full, current: true });
    return results;
  }

  #flushIfDue(): void {
    if (!isFlushDue(this.#resident)) return;
    this.#transaction(() => flush(this.#sql, this.#resident));
    this.#upkeepIsDue = true;
  }

  #isFull(dimension: number | null): boolean {
    return this.#resident.chunks.used >= FULL_SHARE * getShardCapacity(dimension);
  }

  async #stage({ document, chunks, chunkCount }: StagedPart): Promise<Staged> {
    const analysed = analyseChunks(chunks);
    const { documentId, version } = document;
    const sql = this.#sql;
    for (;;) {
      this.#flushIfDue();
      const done = this.#transaction(() => {
        const staged = writeStaged(sql, this.#resident, document, analysed);
        if (typeof staged === 'string' || chunkCount === undefined) return { staged };
        return { staged, published: publishVersion(sql, documentId, version, chunkCount, undefined) };
      });
      if (done.staged === 'full') {
        if (await this.#freeLocalIds()) continue;
        return { placed: false, full: true, current: true };
      }
      if (done.staged === 'outdated') {
        const current = readVersions(sql, documentId).some(
          (each) => each.version === version && each.published === 1,
        );
        return { placed: true, full: false, current };
      }
      addStagedToMemory(this.#resident, done.staged);
      this.#hasStaged = true;
      if (done.published) this.#applyPublished(done.published);
      const full = this.#isFull(done.staged.dimension);
      return { placed: true, full, current: done.published?.current ?? true };
    }
  }

  async publish(documentId: string, version: number, chunkCount: number, whole?: number): Promise<boolean> {
    const published = this.#transaction(() =>
      publishVersion(this.#sql, documentId, version, chunkCount, whole),
    );
    this.#applyPublished(published);
    await this.#scheduleUpkeep();
    return published.current;
  }

  #applyPublished({ shown, hidden }: Published): void {
    if (hidden.length > 0) this.#hide(hidden);
    this.#memory.loaded?.show(shown);
    if (this.#vectorizeSearch) this.#upkeepIsDue = true;
  }

  #hide(locals: number[]): void {
    this.#memory.loaded?.hide(locals);
    this.#upkeepIsDue = true;
  }

  async describe(document: DocumentDescription): Promise<void> {
    this.#transaction(() => {
      for (const row of readVersions(this.#sql, document.documentId)) updateVersion(this.#sql, row, document);
    });
    this.#memory.loaded?.invalidate();
  }

  async remove(documentIds: string[], version: number): Promise<void> {
    const hidden = this.#transaction(() =>
      toSlices(documentIds, MAX_IDS_PER_VALUE).flatMap((slice) => {
        const ids = JSON.stringify(slice);
        const condition = 'document_id IN (SELECT value FROM json_each(?)) AND version <= ?';
        writeTombstones(this.#sql, ids, version);
        const found = this.#sql
          .exec<{ locals: string }>(
            `SELECT json_group_array(local) AS locals FROM chunk
             WHERE version_key IN (SELECT key FROM version WHERE ${condition})`,
            ids,
            version,
          )
          .one();
        markVersionsDead(this.#sql, condition, ids, version);
        return JSON.parse(found.locals) as number[];
      }),
    );
    this.#hide(hidden);
    await this.#scheduleUpkeep();
  }

  async statistics(text: string, split?: SplitDocuments): Promise<TermStatistics> {
    return this.#memory.withPinnedMemory(async () => {
      const decided = this.#resident.getDecidedVersions();
      const statistics = collectStatistics(this.#resident, text, this.#resident.getView(split));
      return { ...statistics, ...(Object.keys(decided).length > 0 && { decided }) };
    });
  }

  async query(query: ShardQuery): Promise<ShardAnswer> {
    return this.#memory.withPinnedMemory(() => this.#query(query));
  }

  async #query(query: ShardQuery): Promise<ShardAnswer> {
    const clock = createStopwatch();
    const vectorizeResult =
      this.#vectorizeSearch && (await this.#vectorizeSearch.queryVectorize(query, this.#resident));
    if (this.#vectorizeSearch) await this.#scheduleUpkeep();
    else await this.#scheduleQuietFlush();
    if (this.#vectorizeSearch) clock.lap('vectorize');
    const resident = this.#memory.load();
    clock.lap('wake');
    return answerQuery(query, {
      sql: this.#sql,
      resident,
      vectorizeSearch: this.#vectorizeSearch,
      vectorizeResult,
      clock,
    });
  }

  async documentsMatching(
    filters: Filters,
    limit: number,
    chunkMetadata?: ChunkMetadata[],
  ): Promise<string[] | null> {
    return this.#memory.withPinnedMemory(async () =>
      listDocumentIds(this.#sql, this.#resident.findMatchingVersions(filters, chunkMetadata), limit),
    );
  }

  async recordRemovals(removals: Removal[]): Promise<void> {
    this.#transaction(() => recordRemovals(this.#sql, removals));
  }

  async listPendingRemovals(limit: number): Promise<Removal[]> {
    return listPendingRemovals(this.#sql, limit);
  }

  async completeRemovals(removals: Removal[]): Promise<void> {
    this.#transaction(() => completeRemovals(this.#sql, removals));
  }

  async listChunks(
    documentId: string,
    page?: { from: number; limit: number },
    version?: number,
  ): Promise<StoredChunk[]> {
    return readDocumentChunks(this.#sql, documentId, page, version);
  }

  async getChunkPlace(chunkId: string): Promise<ChunkPlace | null> {
    return findChunkPlace(this.#sql, chunkId);
  }

  async listVersions(documentId: string): Promise<ShardVersion[]> {
    return readShardVersions(this.#sql, documentId);
  }

  async samplePoints(limit: number, writtenBy?: number): Promise<PointPlace[]> {
    return samplePoints(this.#sql, limit, writtenBy);
  }

  async publishedPoints(documentIds: string[]): Promise<PointPlace[]> {
    return publishedPoints(this.#sql, documentIds);
  }

  async checkCopy(): Promise<void> {
    await this.#vectorizeSearch?.mirror.recheck();
    await this.#scheduleUpkeep();
  }

  async stats(): Promise<ShardStats> {
    return readStats(this.#sql);
  }

  async drop(): Promise<void> {
    await this.#vectorizeSearch?.mirror.drop();
    this.#memory.drop();
    await this.#alarm.clear();
    await this.ctx.storage.deleteAll();
    upgradeStorage(this.ctx.storage, SHARD_UPGRADES);
    this.#vectorizeSearch = VectorizeSearch.createIfBound(this.ctx.storage, this.env);
  }

  /** Cleans up the shard's storage in small steps, so that queries can run in between. */
  override async alarm(): Promise<void> {
    this.#alarm.markFired();
    const quiet = !this.#hasStaged;
    this.#hasStaged = false;
    const hadCodes = this.#memory.hasCodes;
    for (let steps = 0; steps < MAX_STEPS_PER_ALARM; steps++) {
      if (!this.#upkeepStep({ quiet })) {
        const wait = await this.#vectorizeSearch?.mirror.advance(() => this.#resident);
        if (wait !== undefined) await this.#alarm.setNoLaterThan(Date.now() + wait);
        const { hasCodes, isPinned } = this.#memory;
        if (quiet && hasCodes && !hadCodes && !isPinned) this.#memory.drop();
        return this.#scheduleQuietFlush();
      }
      await scheduler.wait(0);
    }
    await this.#alarm.setNoLaterThan(Date.now());
  }

  /** Performs one step of upkeep, which cleans up the shard's storage. Returns false if nothing is due. */
  #upkeepStep(when: { needsLocalIds?: boolean; quiet?: boolean }): boolean {
    const step = findNextStep(this.#sql, () => this.#resident, when);
    if (step === undefined) return false;
    this.#transaction(step);
    return true;
  }

  /** Frees local ids of deleted chunks until new chunks fit. Returns false if none can be freed. */
  async #freeLocalIds(): Promise<boolean> {
    const { released } = this.#resident.chunks;
    while (this.#resident.chunks.released === released) {
      if (!canFreeLocalIds(this.#sql, this.#resident) || !this.#upkeepStep({ needsLocalIds: true }))
        return false;
      await scheduler.wait(0);
    }
    return true;
  }

  async #scheduleQuietFlush(): Promise<void> {
    const at = getQuietFlushTime(this.#memory.loaded);
    if (at !== undefined) await this.#alarm.setNoLaterThan(at);
  }

  async #scheduleUpkeep(): Promise<void> {
    await this.#scheduleQuietFlush();
    if (!this.#upkeepIsDue && !this.#vectorizeSearch?.mirror.isLost) return;
    const at = Date.now() + UPKEEP_DELAY_MS;
    if (await this.#alarm.isSetBy(at)) return;
    this.#upkeepIsDue = false;
    const isDue =
      findNextStep(this.#sql, () => this.#resident) || this.#vectorizeSearch?.mirror.isDue(this.#resident);
    if (isDue) await this.#alarm.setNoLaterThan(at);
  }

  /**
   * Runs a database transaction. If the transaction fails unexpectedly, the data in memory is discarded,
   * because the transaction may have changed it.
   */
  #transaction<T>(work: () => T): T {
    try {
      return this.ctx.storage.transactionSync(work);
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof BadRequest)) this.#memory.drop();
      throw error;
    }
  }
}
