import { messageOf, Upstream } from '#src/lib/errors.ts';
import { createLogger } from '#src/lib/log.ts';
import { settingsOf } from '#src/settings/settings.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import type { Resident } from '../postings/resident.ts';
import { slices } from '../postings/slices.ts';
import type { Beside } from '../waking.ts';
import { dimensionOf } from './dimension.ts';
import {
  coveredSample,
  coveredVersions,
  createMirrorTables,
  forgetPoints,
  forgetPushes,
  giveUpCopies,
  mirrorName,
  planPush,
  pointsThere,
  pointsToSend,
  pushSent,
  sentPushes,
  startAnew,
  unsentPush,
} from './mirror-rows.ts';
import {
  type Point,
  pointId,
  pointsAnswer,
  VECTORIZE_LIMITS,
  type VectorizeBinding,
  vectorizeOf,
} from './vectorize.ts';

/** Of one push: a call's vectors exist as bytes and as JSON, beside all that a full shard keeps in memory. */
const COMPONENTS_AT_ONCE = 256_000;
const STEPS_AN_ALARM = 20;
/** A change is seen after seconds; the wait for one that is not doubles. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 300_000;
/** What is not seen after so long is sent again. */
const LOST_MS = 3_600_000;
const RETRY_MS = 60_000;
const CALL_SECONDS = 30;
const DELETIONS_AT_ONCE = 6;
/** Of one key in a set of many, about. */
const KEY_BYTES = 24;

/**
 * The copy of a shard's vectors in the Vectorize index that is bound for their dimension, if one is. The shard keeps all
 * vectors and decides what is seen: the copy saves it from holding their codes in memory, and is never needed.
 */
export class Mirror implements Beside {
  readonly #storage: DurableObjectStorage;
  readonly #env: object;
  readonly #sql: SqlStorage;
  readonly #log = createLogger({ part: 'vectorize' });
  #covered: ReadonlySet<number> | undefined;
  #isTrusted = false;
  /** The copy was found to be lost, and nothing was done about it yet. */
  isLost = false;
  #wait = FIRST_WAIT_MS;
  #atWork: Promise<unknown> = Promise.resolve();
  #isDropped = false;

  constructor(storage: DurableObjectStorage, env: object) {
    this.#storage = storage;
    this.#env = env;
    this.#sql = storage.sql;
    createMirrorTables(this.#sql);
  }

  /** A shard with fewer chunks is not copied, and Vectorize is not asked about it. */
  get fromChunks(): number {
    return settingsOf(this.#env).VECTORIZE_FROM_CHUNKS;
  }

  get binding(): VectorizeBinding | undefined {
    return vectorizeOf(this.#env, dimensionOf(this.#sql));
  }

  /** Whether `advance` may have something to do. */
  isDue(resident: Resident): boolean {
    if (this.binding === undefined) return false;
    return this.#isLarge(resident) || pointsThere(this.#sql, 'all', 1).length > 0;
  }

  /** The keys of the versions that queries of Vectorize find whole. Another set with every change. */
  covered(): ReadonlySet<number> {
    this.#covered ??= coveredVersions(this.#sql);
    return this.#covered;
  }

  get bytes(): number {
    return (this.#covered?.size ?? 0) * KEY_BYTES;
  }

  forget(): void {
    this.#covered = undefined;
  }

  #isLarge(resident: Resident): boolean {
    return resident.chunks.used >= this.fromChunks;
  }

  /**
   * Whether the copy is still where it was made, as far as some of its points tell: another index may have been bound
   * under the name. Looks once, since bindings stay while an instance lives; then a lost copy is begun anew.
   */
  async isThere(binding: VectorizeBinding, seconds: number): Promise<boolean> {
    if (this.#isTrusted) return true;
    const sample = coveredSample(this.#sql, VECTORIZE_LIMITS.looked);
    const name = mirrorName(this.#sql);
    const missing = await this.#missing(binding, sample, seconds);
    this.#isTrusted = true;
    if (missing.size === 0) return true;
    // Unless another query has seen it first.
    if (name === mirrorName(this.#sql)) {
      this.#log.warn('Vectorize has lost vectors; they are copied anew', { missing: missing.size });
      this.#transaction(() => startAnew(this.#sql));
      this.#covered = undefined;
      this.isLost = true;
    }
    return false;
  }

  /** Looks again whether the copy is there; a lost one is begun anew by the next `advance`. */
  async lookAgain(): Promise<void> {
    const { binding } = this;
    if (binding === undefined || this.#isDropped) return;
    this.#isTrusted = false;
    await this.isThere(binding, CALL_SECONDS);
  }

  /** Brings the copy nearer to the shard. Answers when to go on, in milliseconds; undefined when it is the same. */
  async advance(awake: () => Resident): Promise<number | undefined> {
    this.isLost = false;
    const work = this.#advance(awake);
    this.#atWork = work.catch(() => {});
    try {
      return await work;
    } catch (error) {
      this.#log.warn('vectors not copied to Vectorize yet', { error: messageOf(error) });
      return RETRY_MS;
    }
  }

  async #advance(awake: () => Resident): Promise<number | undefined> {
    for (let step = 0; step < STEPS_AN_ALARM; step++) {
      const { binding } = this;
      if (binding === undefined || this.#isDropped) return undefined;
      if (await this.#deleteSome(binding, 'gone')) continue;
      const push = this.#nextPush(awake());
      if (push !== undefined) {
        await this.#send(binding, push);
        continue;
      }
      const pushes = sentPushes(this.#sql, VECTORIZE_LIMITS.looked / 2);
      if (pushes.length === 0) return undefined;
      if (!(await this.#confirm(binding, pushes))) return this.#nextWait();
    }
    return 0;
  }

  #nextWait(): number {
    const wait = this.#wait;
    this.#wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    return wait;
  }

  #nextPush(resident: Resident): number | undefined {
    const unsent = unsentPush(this.#sql, Date.now() - LOST_MS);
    if (unsent !== undefined || !this.#isLarge(resident)) return unsent;
    const most = Math.floor(COMPONENTS_AT_ONCE / dimensionOf(this.#sql)!);
    return this.#transaction(() => planPush(this.#sql, Math.min(VECTORIZE_LIMITS.upserted, most)));
  }

  async #send(binding: VectorizeBinding, push: number): Promise<void> {
    const namespace = mirrorName(this.#sql);
    const points = this.#transaction(() => pointsToSend(this.#sql, push));
    const vectors = points.map(({ values, ...point }) => ({
      id: pointId(namespace, point),
      namespace,
      values,
    }));
    if (vectors.length > 0) await withTimeout(binding.upsert(vectors), CALL_SECONDS);
    this.#transaction(() => pushSent(this.#sql, push));
    this.#wait = FIRST_WAIT_MS;
    this.#covered = undefined;
  }

  /** Deletes points of versions that are gone, or all; false when there were none. */
  async #deleteSome(binding: VectorizeBinding, which: 'all' | 'gone'): Promise<boolean> {
    const points = pointsThere(this.#sql, which, DELETIONS_AT_ONCE * VECTORIZE_LIMITS.deleted);
    if (points.length === 0) return false;
    const name = mirrorName(this.#sql);
    const ids = points.map((point) => pointId(name, point));
    const deletions = slices(ids, VECTORIZE_LIMITS.deleted).map((some) => binding.deleteByIds(some));
    await withTimeout(Promise.all(deletions), CALL_SECONDS);
    this.#transaction(() => forgetPoints(this.#sql, points));
    return true;
  }

  /**
   * Forgets the pushes whose first and last point Vectorize shows: it shows a change whole. What `describe` says is of
   * no use, since it tells when the last change was taken in, and of many shards' changes which was the last.
   */
  async #confirm(binding: VectorizeBinding, pushes: { push: number; ends: Point[] }[]): Promise<boolean> {
    const ends = pushes.flatMap((each) => each.ends);
    const missing = await this.#missing(binding, ends, CALL_SECONDS);
    const shown = pushes.filter((each) => !each.ends.some((end) => missing.has(end)));
    this.#transaction(() =>
      forgetPushes(
        this.#sql,
        shown.map(({ push }) => push),
      ),
    );
    if (shown.length > 0) this.#covered = undefined;
    return shown.length > 0;
  }

  /** Which of the points Vectorize does not show. */
  async #missing(binding: VectorizeBinding, points: Point[], seconds: number): Promise<Set<Point>> {
    if (points.length === 0) return new Set();
    const name = mirrorName(this.#sql);
    const ids = points.map((point) => pointId(name, point));
    const answer = pointsAnswer.parse(await withTimeout(binding.getByIds(ids), seconds));
    const there = new Set(answer.map(({ id }) => id));
    return new Set(points.filter((_, i) => !there.has(ids[i]!)));
  }

  /** Deletes the copy, for good: this instance makes none again. The shard's own rows are the caller's to delete. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    await this.#atWork;
    if (this.binding === undefined) return;
    try {
      this.#transaction(() => giveUpCopies(this.#sql));
      this.#covered = undefined;
      while (await this.#deleteSome(this.binding, 'all'));
    } catch (cause) {
      const message = `Vectorize did not delete the vectors of the index: ${messageOf(cause)}.`;
      throw new Upstream(message, { retryable: true, cause });
    }
  }

  #transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }
}
