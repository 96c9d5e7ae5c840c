import { getErrorMessage, Upstream } from '#src/lib/errors.ts';
import { createLogger } from '#src/lib/log.ts';
import { readSettings } from '#src/settings/settings.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import type { Resident } from '../postings/resident.ts';
import { toSlices } from '../postings/slices.ts';
import type { ExtraCache } from '../resident-loader.ts';
import { readDimension } from './dimension.ts';
import {
  createMirrorTables,
  findPushToSend,
  forgetPoints,
  forgetPushes,
  getOrCreateMirrorName,
  invalidateCopies,
  listMirroredPoints,
  listSentPushes,
  markPushSent,
  planPush,
  readCoveredVersions,
  readPointsToSend,
  resetMirror,
  sampleCoveredPoints,
} from './mirror-rows.ts';
import {
  getVectorizeBinding,
  type Point,
  pointsSchema,
  toPointId,
  VECTORIZE_LIMITS,
  type VectorizeBinding,
} from './vectorize.ts';

/**
 * Maximum number of vector components (numbers) that one push sends to Vectorize. During the call, the
 * vectors take additional memory as bytes and as JSON.
 */
const COMPONENTS_PER_PUSH = 256_000;
const STEPS_PER_ALARM = 20;
/**
 * First and longest wait in milliseconds for a push to become visible in Vectorize. The wait doubles after
 * each check that does not find the push.
 */
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 300_000;
/** Milliseconds after which a push that is still not visible is sent again. */
const LOST_MS = 3_600_000;
const RETRY_MS = 60_000;
const CALL_SECONDS = 30;
const PARALLEL_DELETIONS = 6;
/** Approximate memory in bytes of one version key in a large `Set`. */
const KEY_BYTES = 24;

/**
 * Copies a shard's vectors to the Vectorize index that is bound for their dimension. The shard still stores
 * all vectors and decides which chunks are visible. With the copy, the shard need not hold the vector codes
 * in memory.
 */
export class Mirror implements ExtraCache {
  readonly #storage: DurableObjectStorage;
  readonly #env: object;
  readonly #sql: SqlStorage;
  readonly #log = createLogger({ part: 'vectorize' });
  #covered: ReadonlySet<number> | undefined;
  #isVerified = false;
  /** True if the copy in Vectorize was lost and copying has not started again. */
  isLost = false;
  #wait = FIRST_WAIT_MS;
  #pendingWork: Promise<unknown> = Promise.resolve();
  #isDropped = false;

  constructor(storage: DurableObjectStorage, env: object) {
    this.#storage = storage;
    this.#env = env;
    this.#sql = storage.sql;
    createMirrorTables(this.#sql);
  }

  /** Minimum number of chunks a shard needs before its vectors are copied and Vectorize is queried. */
  get minChunks(): number {
    return readSettings(this.#env).VECTORIZE_FROM_CHUNKS;
  }

  get binding(): VectorizeBinding | undefined {
    return getVectorizeBinding(this.#env, readDimension(this.#sql));
  }

  /**
   * Returns true if `advance` should be called, because the shard is large enough to be copied or still has
   * vectors in Vectorize.
   */
  isDue(resident: Resident): boolean {
    if (this.binding === undefined) return false;
    return this.#isLarge(resident) || listMirroredPoints(this.#sql, 'all', 1).length > 0;
  }

  /**
   * Returns the keys of the document versions that are completely visible in Vectorize. Every change of the
   * copy creates a new set.
   */
  covered(): ReadonlySet<number> {
    this.#covered ??= readCoveredVersions(this.#sql);
    return this.#covered;
  }

  get bytes(): number {
    return (this.#covered?.size ?? 0) * KEY_BYTES;
  }

  forget(): void {
    this.#covered = undefined;
  }

  #isLarge(resident: Resident): boolean {
    return resident.chunks.used >= this.minChunks;
  }

  /**
   * Returns whether the copy still exists, judged by a sample of its points. The copy is gone if another
   * index was bound under the same name. The check runs once per instance, because bindings do not change
   * while an instance lives. If the copy is lost, its records are reset so that copying starts again.
   */
  async isIntact(binding: VectorizeBinding, seconds: number): Promise<boolean> {
    if (this.#isVerified) return true;
    const sample = sampleCoveredPoints(this.#sql, VECTORIZE_LIMITS.idsPerLookup);
    const name = getOrCreateMirrorName(this.#sql);
    const missing = await this.#missing(binding, sample, seconds);
    this.#isVerified = true;
    if (missing.size === 0) return true;
    // Another query may have found the same loss earlier and already chosen a new name for the copy.
    if (name === getOrCreateMirrorName(this.#sql)) {
      this.#log.warn('Vectorize has lost vectors and they will be copied again', { missing: missing.size });
      this.#transaction(() => resetMirror(this.#sql));
      this.#covered = undefined;
      this.isLost = true;
    }
    return false;
  }

  /** Checks again whether the copy exists. If the copy is lost, the next `advance` starts a new one. */
  async recheck(): Promise<void> {
    const { binding } = this;
    if (binding === undefined || this.#isDropped) return;
    this.#isVerified = false;
    await this.isIntact(binding, CALL_SECONDS);
  }

  /**
   * Updates the copy in Vectorize: deletes outdated vectors, sends new ones, and checks whether sent vectors
   * are visible. Stops after a number of steps. Returns the milliseconds until the next call, or `undefined`
   * if the copy is up to date.
   */
  async advance(awake: () => Resident): Promise<number | undefined> {
    this.isLost = false;
    const work = this.#advance(awake);
    this.#pendingWork = work.catch(() => {});
    try {
      return await work;
    } catch (error) {
      this.#log.warn('copying vectors to Vectorize failed and will be retried', {
        error: getErrorMessage(error),
      });
      return RETRY_MS;
    }
  }

  async #advance(awake: () => Resident): Promise<number | undefined> {
    for (let step = 0; step < STEPS_PER_ALARM; step++) {
      const { binding } = this;
      if (binding === undefined || this.#isDropped) return undefined;
      if (await this.#deleteSome(binding, 'gone')) continue;
      const push = this.#nextPush(awake());
      if (push !== undefined) {
        await this.#send(binding, push);
        continue;
      }
      const pushes = listSentPushes(this.#sql, VECTORIZE_LIMITS.idsPerLookup / 2);
      if (pushes.length === 0) return undefined;
      if (!(await this.#confirm(binding, pushes))) return this.#nextWait();
    }
    return 0;
  }

  #nextWait(): number {
    const wait = this.#wait;
    this.#wait = Math.min(MAX_WAIT_MS, wait * 2);
    return wait;
  }

  #nextPush(resident: Resident): number | undefined {
    const unsent = findPushToSend(this.#sql, Date.now() - LOST_MS);
    if (unsent !== undefined || !this.#isLarge(resident)) return unsent;
    const maxVectors = Math.floor(COMPONENTS_PER_PUSH / readDimension(this.#sql)!);
    return this.#transaction(() =>
      planPush(this.#sql, Math.min(VECTORIZE_LIMITS.vectorsPerUpsert, maxVectors)),
    );
  }

  async #send(binding: VectorizeBinding, push: number): Promise<void> {
    const namespace = getOrCreateMirrorName(this.#sql);
    const points = this.#transaction(() => readPointsToSend(this.#sql, push));
    const vectors = points.map(({ values, ...point }) => ({
      id: toPointId(namespace, point),
      namespace,
      values,
    }));
    if (vectors.length > 0) await withTimeout(binding.upsert(vectors), CALL_SECONDS);
    this.#transaction(() => markPushSent(this.#sql, push));
    this.#wait = FIRST_WAIT_MS;
    this.#covered = undefined;
  }

  /**
   * Deletes some points of this shard from Vectorize. With 'gone', only points of replaced or removed
   * versions are deleted. Returns false if there were none.
   */
  async #deleteSome(binding: VectorizeBinding, which: 'all' | 'gone'): Promise<boolean> {
    const points = listMirroredPoints(this.#sql, which, PARALLEL_DELETIONS * VECTORIZE_LIMITS.idsPerDelete);
    if (points.length === 0) return false;
    const name = getOrCreateMirrorName(this.#sql);
    const ids = points.map((point) => toPointId(name, point));
    const deletions = toSlices(ids, VECTORIZE_LIMITS.idsPerDelete).map((some) => binding.deleteByIds(some));
    await withTimeout(Promise.all(deletions), CALL_SECONDS);
    this.#transaction(() => forgetPoints(this.#sql, points));
    return true;
  }

  /**
   * Marks pushes as visible once Vectorize shows their first and last point. This is enough, because
   * Vectorize makes each change visible as a whole. Returns false if no push is visible yet. The index's
   * `describe` method only tells the last processed change, and many shards share the index.
   */
  async #confirm(binding: VectorizeBinding, pushes: { push: number; ends: Point[] }[]): Promise<boolean> {
    const ends = pushes.flatMap((each) => each.ends);
    const findMissing = await this.#missing(binding, ends, CALL_SECONDS);
    const shown = pushes.filter((each) => !each.ends.some((end) => findMissing.has(end)));
    this.#transaction(() =>
      forgetPushes(
        this.#sql,
        shown.map(({ push }) => push),
      ),
    );
    if (shown.length > 0) this.#covered = undefined;
    return shown.length > 0;
  }

  /** Returns the points that are not visible in Vectorize. */
  async #missing(binding: VectorizeBinding, points: Point[], seconds: number): Promise<Set<Point>> {
    if (points.length === 0) return new Set();
    const name = getOrCreateMirrorName(this.#sql);
    const ids = points.map((point) => toPointId(name, point));
    const answer = pointsSchema.parse(await withTimeout(binding.getByIds(ids), seconds));
    const there = new Set(answer.map(({ id }) => id));
    return new Set(points.filter((_, i) => !there.has(ids[i]!)));
  }

  /**
   * Deletes the copy permanently. This instance never creates another one. The caller must delete the shard's
   * own rows.
   */
  async drop(): Promise<void> {
    this.#isDropped = true;
    await this.#pendingWork;
    if (this.binding === undefined) return;
    try {
      this.#transaction(() => invalidateCopies(this.#sql));
      this.#covered = undefined;
      while (await this.#deleteSome(this.binding, 'all'));
    } catch (cause) {
      const message = `Vectorize did not delete the vectors of the index: ${getErrorMessage(cause)}.`;
      throw new Upstream(message, { retryable: true, cause });
    }
  }

  #transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }
}
