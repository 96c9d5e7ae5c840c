import { BadRequest, Conflict } from '#src/lib/errors.ts';
import type { Filters, IndexedChunk, IndexedDocument, StoredChunk } from '#src/ports/index-types.ts';
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
import { analyseChunk } from '#src/search/analysis.ts';
import { capacityOf } from '#src/search/memory.ts';
import { AlarmClock } from './search-shard/alarm-clock.ts';
import { answerQuery } from './search-shard/answer.ts';
import { placeOfChunk, readDocument } from './search-shard/chunks/chunk-rows.ts';
import { rememberStaged, writeStaged } from './search-shard/chunks/staging.ts';
import { statsOf } from './search-shard/chunks/stats.ts';
import {
  describeVersion,
  documentsOf,
  forgetVersions,
  type Published,
  publishVersion,
  shardVersions,
  versionsOf,
  writeTombstones,
} from './search-shard/chunks/versions.ts';
import { owe, owed, settle } from './search-shard/ledger.ts';
import { IDS_IN_ONE_VALUE, slices } from './search-shard/postings/slices.ts';
import { statisticsOf } from './search-shard/ranking.ts';
import { stopwatch } from './search-shard/stopwatch.ts';
import { canMakeRoom, flush, isFlushDue, nextStep, quietAt } from './search-shard/upkeep.ts';
import { NearSearch } from './search-shard/vectors/near-search.ts';
import { publishedPoints, samplePoints } from './search-shard/vectors/point-places.ts';
import { Waking } from './search-shard/waking.ts';
import { SHARD_UPGRADES } from './search-shard.schema.ts';
import { upgradeStorage } from './storage-upgrades.ts';
import { TracedObject } from './traced-object.ts';

/** Milliseconds before upkeep starts, so that a document staged in many calls is tidied once. */
const UPKEEP_DELAY = 2_000;
const STEPS_AN_ALARM = 200;
/**
 * Share of the capacity at which a shard reports that it is full, so that new documents go to another shard.
 * The rest is reserved for documents that grow.
 */
const FULL = 0.75;

/** One shard of a pipeline's managed index: an SQLite database, and the data that queries need in memory. */
export class SearchShard extends TracedObject implements Shard {
  readonly #sql: SqlStorage;
  readonly #memory: Waking;
  /** Whether upkeep may be due. A new instance assumes so. */
  #upkeepIsDue = true;
  readonly #alarm = new AlarmClock(this.ctx.storage, this.objectAlarm);
  /** Whether chunks were staged since the last alarm. */
  #hasStaged = false;
  #near: NearSearch | undefined;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    upgradeStorage(state.storage, SHARD_UPGRADES);
    this.#near = NearSearch.where(state.storage, env);
    this.#memory = new Waking(this.#sql, env, () => this.#near?.mirror);
  }

  /** Loads the in-memory data on first use, so that an object that only stages or deletes stays small. */
  get #awake() {
    return this.#memory.wake();
  }

  async stage(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged> {
    const [staged] = await this.stageMany([{ document, chunks, chunkCount }]);
    return staged!;
  }

  /**
   * Stages documents without waiting for I/O between those that fit, so that the platform commits them
   * together.
   */
  async stageMany(parts: StagedPart[]): Promise<Staged[]> {
    return this.#memory.asked(async () => {
      const staged: Staged[] = [];
      for (const part of parts) staged.push(await this.#stage(part));
      await this.#scheduleUpkeep();
      return staged;
    });
  }

  async #stage({ document, chunks, chunkCount }: StagedPart): Promise<Staged> {
    const analysed = new Map(chunks.map((chunk) => [chunk, analyseChunk(chunk)]));
    const { documentId, version } = document;
    const sql = this.#sql;
    for (;;) {
      if (isFlushDue(this.#awake)) {
        this.#transaction(() => flush(sql, this.#awake));
        this.#upkeepIsDue = true;
      }
      const done = this.#transaction(() => {
        const staged = writeStaged(sql, this.#awake, document, analysed);
        if (typeof staged === 'string' || chunkCount === undefined) return { staged };
        return { staged, published: publishVersion(sql, documentId, version, chunkCount, undefined) };
      });
      if (done.staged === 'no room') {
        if (await this.#makeRoom()) continue;
        return { placed: false, full: true, current: true };
      }
      if (done.staged === 'past') {
        const current = versionsOf(sql, documentId).some(
          (each) => each.version === version && each.published === 1,
        );
        return { placed: true, full: false, current };
      }
      rememberStaged(this.#awake, done.staged);
      this.#hasStaged = true;
      if (done.published) this.#remember(done.published);
      const full = this.#awake.chunks.used >= FULL * capacityOf(done.staged.dimension);
      return { placed: true, full, current: done.published?.current ?? true };
    }
  }

  async publish(documentId: string, version: number, chunkCount: number, whole?: number): Promise<boolean> {
    const published = this.#transaction(() =>
      publishVersion(this.#sql, documentId, version, chunkCount, whole),
    );
    this.#remember(published);
    await this.#scheduleUpkeep();
    return published.current;
  }

  #remember({ shown, hidden }: Published): void {
    if (hidden.length > 0) this.#hide(hidden);
    this.#memory.awake?.show(shown);
    if (this.#near) this.#upkeepIsDue = true;
  }

  #hide(locals: number[]): void {
    this.#memory.awake?.hide(locals);
    this.#upkeepIsDue = true;
  }

  async describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void> {
    this.#transaction(() => {
      for (const row of versionsOf(this.#sql, document.documentId)) describeVersion(this.#sql, row, document);
    });
    this.#memory.awake?.changed();
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
    this.#hide(hidden);
    await this.#scheduleUpkeep();
  }

  async statistics(text: string, split?: SplitDocuments): Promise<TermStatistics> {
    return this.#memory.asked(async () => {
      const decided = this.#awake.decided();
      const statistics = statisticsOf(this.#awake, text, this.#awake.view(split));
      return { ...statistics, ...(Object.keys(decided).length > 0 && { decided }) };
    });
  }

  async query(query: ShardQuery): Promise<ShardAnswer> {
    return this.#memory.asked(() => this.#query(query));
  }

  async #query(query: ShardQuery): Promise<ShardAnswer> {
    const clock = stopwatch();
    const near = this.#near && (await this.#near.ask(query, this.#awake));
    if (this.#near) await this.#scheduleUpkeep();
    else await this.#awaitQuiet();
    if (this.#near) clock.lap('vectorize');
    const resident = this.#memory.wake();
    clock.lap('wake');
    return answerQuery(query, { sql: this.#sql, resident, nearSearch: this.#near, near, clock });
  }

  async documentsMatching(filters: Filters, limit: number): Promise<string[] | null> {
    return this.#memory.asked(async () =>
      documentsOf(this.#sql, this.#awake.versionsMatching(filters), limit),
    );
  }

  async owe(removals: Removal[]): Promise<void> {
    this.#transaction(() => owe(this.#sql, removals));
  }

  async owed(limit: number): Promise<Removal[]> {
    return owed(this.#sql, limit);
  }

  async settle(removals: Removal[]): Promise<void> {
    this.#transaction(() => settle(this.#sql, removals));
  }

  async chunksOf(
    documentId: string,
    page?: { from: number; limit: number },
    version?: number,
  ): Promise<StoredChunk[]> {
    return readDocument(this.#sql, documentId, page, version);
  }

  async placeOf(chunkId: string): Promise<ChunkPlace | null> {
    return placeOfChunk(this.#sql, chunkId);
  }

  async versionsOf(documentId: string): Promise<ShardVersion[]> {
    return shardVersions(this.#sql, documentId);
  }

  async samplePoints(limit: number, writtenBy?: number): Promise<PointPlace[]> {
    return samplePoints(this.#sql, limit, writtenBy);
  }

  async publishedPoints(documentIds: string[]): Promise<PointPlace[]> {
    return publishedPoints(this.#sql, documentIds);
  }

  async checkCopy(): Promise<void> {
    await this.#near?.mirror.lookAgain();
    await this.#scheduleUpkeep();
  }

  async stats(): Promise<ShardStats> {
    return statsOf(this.#sql);
  }

  async drop(): Promise<void> {
    await this.#near?.mirror.drop();
    this.#memory.drop();
    await this.#alarm.clear();
    await this.ctx.storage.deleteAll();
    upgradeStorage(this.ctx.storage, SHARD_UPGRADES);
    this.#near = NearSearch.where(this.ctx.storage, this.env);
  }

  /** Performs upkeep step by step, so that queries can run in between. */
  override async alarm(): Promise<void> {
    this.#alarm.rang();
    const quiet = !this.#hasStaged;
    this.#hasStaged = false;
    const hadCodes = this.#memory.hasCodes;
    for (let steps = 0; steps < STEPS_AN_ALARM; steps++) {
      if (!this.#upkeepStep({ quiet })) {
        const wait = await this.#near?.mirror.advance(() => this.#awake);
        if (wait !== undefined) await this.#alarm.setBy(Date.now() + wait);
        const { hasCodes, isPinned } = this.#memory;
        if (quiet && hasCodes && !hadCodes && !isPinned) this.#memory.drop();
        return this.#awaitQuiet();
      }
      await scheduler.wait(0);
    }
    await this.#alarm.setBy(Date.now());
  }

  /** Performs one step of upkeep. Returns false if there is nothing to do. */
  #upkeepStep(when: { short?: boolean; quiet?: boolean }): boolean {
    const step = nextStep(this.#sql, () => this.#awake, when);
    if (step === undefined) return false;
    this.#transaction(step);
    return true;
  }

  /** Frees the local ids of deleted chunks. Returns false if there were none. */
  async #makeRoom(): Promise<boolean> {
    const { released } = this.#awake.chunks;
    while (this.#awake.chunks.released === released) {
      if (!canMakeRoom(this.#sql, this.#awake) || !this.#upkeepStep({ short: true })) return false;
      await scheduler.wait(0);
    }
    return true;
  }

  async #awaitQuiet(): Promise<void> {
    const at = quietAt(this.#memory.awake);
    if (at !== undefined) await this.#alarm.setBy(at);
  }

  async #scheduleUpkeep(): Promise<void> {
    await this.#awaitQuiet();
    if (!this.#upkeepIsDue && !this.#near?.mirror.isLost) return;
    const at = Date.now() + UPKEEP_DELAY;
    if (await this.#alarm.ringsBy(at)) return;
    this.#upkeepIsDue = false;
    const isDue = nextStep(this.#sql, () => this.#awake) || this.#near?.mirror.isDue(this.#awake);
    if (isDue) await this.#alarm.setBy(at);
  }

  /**
   * Runs a transaction. If it fails unexpectedly, the in-memory data is discarded, because the transaction
   * may have changed it.
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
