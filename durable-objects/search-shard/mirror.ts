import { messageOf, Upstream } from '#src/errors.ts';
import { createLogger } from '#src/lib/log.ts';
import { settingsOf } from '#src/settings.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { dimensionOf } from './dimension.ts';
import {
  confirmPushes,
  coveredVersions,
  forgetPoints,
  giveUpPoints,
  gonePoints,
  hasSentPushes,
  mirrorName,
  planPush,
  pushSent,
  unsentPush,
  vectorsOf,
} from './mirror-rows.ts';
import type { Resident } from './resident.ts';
import { slices } from './slices.ts';
import {
  describeAnswer,
  mutationAnswer,
  pointId,
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
const RETRY_MS = 60_000;
/** How far the clocks of the shard and of Vectorize may be apart. */
const CLOCKS_APART_MS = 60_000;
const CALL_SECONDS = 30;
const DELETIONS_AT_ONCE = 6;

/**
 * The copy of a shard's vectors in the Vectorize index that is bound for their dimension, if one is. The shard keeps all
 * vectors and decides what is seen: the copy saves it from holding their codes in memory, and is never needed.
 */
export class Mirror {
  readonly #storage: DurableObjectStorage;
  readonly #env: object;
  readonly #sql: SqlStorage;
  readonly #log = createLogger({ part: 'vectorize' });
  #covered: ReadonlySet<number> | undefined;
  #wait = FIRST_WAIT_MS;
  #atWork: Promise<unknown> = Promise.resolve();
  #isDropped = false;

  constructor(storage: DurableObjectStorage, env: object) {
    this.#storage = storage;
    this.#env = env;
    this.#sql = storage.sql;
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
    return this.#isLarge(resident) || gonePoints(this.#sql, 1).length > 0;
  }

  /** The keys of the versions that queries of Vectorize find whole. Another set with every change. */
  covered(): ReadonlySet<number> {
    this.#covered ??= coveredVersions(this.#sql);
    return this.#covered;
  }

  #isLarge(resident: Resident): boolean {
    return resident.chunks.used >= this.fromChunks;
  }

  /** Brings the copy nearer to the shard. Answers when to go on, in milliseconds; undefined when it is the same. */
  async advance(awake: () => Resident): Promise<number | undefined> {
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
      if (await this.#deleteSome(binding, 1)) continue;
      const push = this.#nextPush(awake());
      if (push !== undefined) await this.#send(binding, push);
      else if (!hasSentPushes(this.#sql)) return undefined;
      else if (!(await this.#confirm(binding))) return this.#nextWait();
    }
    return 0;
  }

  #nextWait(): number {
    const wait = this.#wait;
    this.#wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    return wait;
  }

  #nextPush(resident: Resident): number | undefined {
    const unsent = unsentPush(this.#sql);
    if (unsent !== undefined || !this.#isLarge(resident)) return unsent;
    const most = Math.floor(COMPONENTS_AT_ONCE / dimensionOf(this.#sql)!);
    return this.#transaction(() => planPush(this.#sql, Math.min(VECTORIZE_LIMITS.upserted, most)));
  }

  async #send(binding: VectorizeBinding, push: number): Promise<void> {
    const vectors = vectorsOf(this.#sql, push);
    const answer = vectors.length > 0 ? await withTimeout(binding.upsert(vectors), CALL_SECONDS) : undefined;
    const mutation = answer && mutationAnswer.parse(answer).mutationId;
    this.#transaction(() => pushSent(this.#sql, push, mutation));
    this.#wait = FIRST_WAIT_MS;
    this.#covered = undefined;
  }

  /** Deletes points of versions that are gone, so many calls' worth; false when there were none. */
  async #deleteSome(binding: VectorizeBinding, calls: number): Promise<boolean> {
    const points = gonePoints(this.#sql, calls * VECTORIZE_LIMITS.deleted);
    if (points.length === 0) return false;
    const name = mirrorName(this.#sql);
    const ids = points.map(({ versionKey, position }) => pointId(name, versionKey, position));
    const deletions = slices(ids, VECTORIZE_LIMITS.deleted).map((some) => binding.deleteByIds(some));
    await withTimeout(Promise.all(deletions), CALL_SECONDS);
    this.#transaction(() => forgetPoints(this.#sql, points));
    return true;
  }

  async #confirm(binding: VectorizeBinding): Promise<boolean> {
    const info = describeAnswer.parse(await withTimeout(binding.describe(), CALL_SECONDS));
    const sentBefore = info.processedUpToDatetime - CLOCKS_APART_MS;
    const isConfirmed = this.#transaction(() =>
      confirmPushes(this.#sql, info.processedUpToMutation, sentBefore),
    );
    if (isConfirmed) this.#covered = undefined;
    return isConfirmed;
  }

  /** Deletes the copy. The shard's own rows are the caller's to delete. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    await this.#atWork;
    if (this.binding === undefined) return;
    try {
      this.#transaction(() => giveUpPoints(this.#sql));
      while (await this.#deleteSome(this.binding, DELETIONS_AT_ONCE)) this.#covered = undefined;
    } catch (cause) {
      this.#isDropped = false;
      const message = `Vectorize did not delete the vectors of the index: ${messageOf(cause)}.`;
      throw new Upstream(message, { retryable: true, cause });
    }
  }

  #transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }
}
