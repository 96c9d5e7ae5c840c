import type { Context } from '#src/context/context.ts';
import type { IngestionError } from '#src/db/schema/pipelines.ts';
import { newId } from '#src/lib/ids.ts';
import { concludeRun, hasDifferences, recordItemFailure, recordRun } from '#src/services/sync/runs.ts';
import {
  describeUnfinishedStarts,
  MAX_ATTEMPTS,
  MAX_STARTS,
  secondsUntilNextStart,
  secondsUntilRateLimitRetry,
  secondsUntilRetry,
} from '#src/work/backoff.ts';
import type { ReleaseFailure, Run, Scope, StartRequest, Verdict } from '#src/work/sync-owner.ts';
import type { RunLedger } from './run-ledger.ts';
import { FIRST_TICK_MS, type SyncClock, WAIT_FOR_MORE } from './sync-clock.ts';
import { buildScope, mergeScopes } from './sync-scope.ts';

export type Failure = Pick<IngestionError, 'message' | 'step'>;

/**
 * Maximum number of messages and items of one pipeline in the queue or in progress, so that other pipelines
 * get their turn. A message with many small items takes about as long as one or two large items.
 */
const MAX_IN_FLIGHT = { messages: 16, items: 1_000 };
/**
 * Maximum number of messages and items if some of them are urgent. The additional places let items that a
 * user waits for overtake the rest of the run.
 */
const MAX_IN_FLIGHT_WITH_FIRST = { messages: 20, items: 1_100 };
/**
 * Maximum number of items of a small sync run. A user probably waits for a small run, so its small items are
 * processed first.
 */
const MAX_SMALL_RUN_ITEMS = 20;
/** Time in minutes without progress after which an item or the whole sync run fails. */
const NO_PROGRESS_MINUTES = 10;
export const NO_PROGRESS_MS = NO_PROGRESS_MINUTES * 60_000;
export const describeNoProgress = (what: string) =>
  `${what} made no progress for ${NO_PROGRESS_MINUTES} minutes.`;
const CANCEL_GRACE_MS = 8_000;

/**
 * Controls a sync run: starts the run, sends its items, retries or fails them, ends the run and starts the
 * next one.
 */
export class SyncRun {
  readonly #ledger: RunLedger;
  readonly #clock: SyncClock;
  readonly #context: Context;
  /**
   * Time of the last request that joined a sync run before its start, in milliseconds since 1970. After a
   * restart of the object it is 0, so the run starts immediately.
   */
  #requestedAt = 0;

  constructor(ledger: RunLedger, clock: SyncClock, context: Context) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#context = context;
  }

  /**
   * Begins a sync run. With `patient`, planning starts after a pause without further requests, or as soon as
   * an impatient request joins the run.
   */
  async begin(
    pipelineId: string,
    { reason, patient = false, follows }: Pick<StartRequest, 'reason' | 'patient' | 'follows'>,
    scope: Scope,
  ): Promise<Run> {
    const run = this.#ledger.open({ pipelineId, jobId: newId(), reason, scope }, Date.now(), follows);
    if (patient) this.#ledger.setRun({ planSentAt: -1 });
    this.#requestedAt = Date.now();
    await this.#clock.arm(FIRST_TICK_MS);
    if (patient) await recordRun(this.#context, run);
    else await this.sendPlan(run);
    return run;
  }

  /** Adds a request to a sync run that is still waiting for further requests. */
  async join(run: Run, request: StartRequest): Promise<Run> {
    const scope = mergeScopes(run.scope, buildScope(request));
    this.#ledger.setRun({ scope, sourcesRead: scope.sources.length === 0 });
    this.#requestedAt = Date.now();
    if (!request.patient) {
      this.#ledger.setRun({ reason: request.reason, planSentAt: Date.now() });
      await this.sendPlan(this.#ledger.current()!);
    }
    return this.#ledger.current()!;
  }

  /** Returns whether the sync run is still waiting for further requests. */
  isWaitingForMore({ state, planSentAt, startedAt }: Run, now: number): boolean {
    if (state !== 'planning' || planSentAt >= 0) return false;
    return now - this.#requestedAt < WAIT_FOR_MORE.pauseMs && now - startedAt < WAIT_FOR_MORE.mostMs;
  }

  async sendPlan(run: Run): Promise<void> {
    const { pipelineId, generation } = run;
    try {
      await recordRun(this.#context, run);
      await this.#context.queues.send({ type: 'sync-pipeline', pipelineId, generation });
    } catch (error) {
      // The alarm's next check sends the message again, because `planSentAt` is 0.
      this.#ledger.setRun({ planSentAt: 0 });
      throw error;
    }
  }

  /** Retries an item after a failed attempt, or fails it if no attempts are left. */
  async retryOrFail(
    itemId: string,
    failure: ReleaseFailure,
    { now, random } = { now: Date.now(), random: Math.random() },
  ): Promise<void> {
    const entry = this.#ledger.get(itemId);
    const run = this.#ledger.current();
    if (!entry || !run) return;
    const { retryAfterSeconds, message, step } = failure;
    if (retryAfterSeconds === undefined) {
      if (entry.attempts - entry.lost >= MAX_ATTEMPTS || run.state === 'cancelling') {
        return this.fail(itemId, { message, step });
      }
      this.#ledger.requeue(itemId, now + 1000 * secondsUntilRetry(entry.attempts, random));
      return this.#ledger.addCounters({ retries: 1 });
    }
    const until = now + 1000 * secondsUntilRateLimitRetry(retryAfterSeconds, random);
    if (until - run.progressAt > NO_PROGRESS_MS || run.state === 'cancelling') {
      const asked = `${message} (the service asked to wait ${retryAfterSeconds} s before a retry)`;
      return this.fail(itemId, { message: asked, step });
    }
    this.#ledger.uncountAttempt(itemId);
    this.#ledger.requeue(itemId, until);
    this.#ledger.setRun({ pausedUntil: Math.max(run.pausedUntil, now + 1000 * retryAfterSeconds) });
    this.#ledger.addCounters({ retries: 1, throttled: 1 });
  }

  /**
   * Retries items that failed together. Several items are retried in smaller groups, which shows the item
   * that caused the failure.
   */
  async retryFewerOrFail(itemIds: string[], failure: ReleaseFailure): Promise<void> {
    const isOpenStill = this.#ledger.current()?.state !== 'cancelling';
    if (itemIds.length === 1 || failure.retryAfterSeconds !== undefined || !isOpenStill) {
      // All items get the same retry time, so that items that wait for the same service are retried together.
      const moment = { now: Date.now(), random: Math.random() };
      for (const itemId of itemIds) await this.retryOrFail(itemId, failure, moment);
      return;
    }
    this.#ledger.requeueInSmallerGroups(itemIds, Date.now() + 1000 * secondsUntilRetry(1));
    this.#ledger.addCounters({ retries: itemIds.length });
  }

  /**
   * Retries items whose consumer stopped responding. Several items are retried in smaller groups, which shows
   * the item that stopped the process.
   */
  async restartFewerOrFail(itemIds: string[]): Promise<void> {
    if (itemIds.length === 1 || this.#ledger.current()?.state === 'cancelling') {
      for (const itemId of itemIds) await this.restartOrFail(itemId);
      return;
    }
    const seconds = secondsUntilNextStart(1, this.#context.settings.RESTART_WAIT_SECONDS);
    this.#ledger.requeueInSmallerGroups(itemIds, Date.now() + 1000 * seconds);
    this.#ledger.addCounters({ retries: itemIds.length });
  }

  /** Retries an item whose consumer stopped responding. Fails the item if it has been started too often. */
  async restartOrFail(itemId: string): Promise<void> {
    const entry = this.#ledger.get(itemId);
    const run = this.#ledger.current();
    if (!entry || !run) return;
    const { starts } = entry;
    if (starts >= MAX_STARTS)
      return this.fail(itemId, { message: describeUnfinishedStarts(starts), step: 'INGESTION' });
    if (run.state === 'cancelling') {
      return this.fail(itemId, { message: 'The worker stopped responding.', step: 'INGESTION' });
    }
    this.#ledger.requeueLost(
      itemId,
      Date.now() + 1000 * secondsUntilNextStart(starts, this.#context.settings.RESTART_WAIT_SECONDS),
    );
    this.#ledger.addCounters({ retries: 1 });
  }

  async fail(itemId: string, failure: Failure): Promise<void> {
    const run = this.#ledger.current();
    const entry = this.#ledger.get(itemId);
    if (!run || !entry) return;
    if (run.state !== 'cancelling') await recordItemFailure(this.#context, run, entry.item, failure);
    this.#ledger.settle([itemId], 'failed');
  }

  async refill(): Promise<void> {
    const run = this.#ledger.current();
    if (!run || !isOpen(run) || run.pausedUntil > Date.now()) return;
    const { pipelineId, generation } = run;
    // Sends messages only while at most half of the allowed number is in flight. One call for many messages
    // is cheaper than many calls.
    const { messages, items } = this.#ledger.countInFlight();
    const isFull = messages > MAX_IN_FLIGHT.messages / 2 || items > MAX_IN_FLIGHT.items / 2;
    const sent = isFull
      ? this.#ledger.takeForSending(MAX_IN_FLIGHT_WITH_FIRST, Date.now(), 'first')
      : this.#ledger.takeForSending(MAX_IN_FLIGHT, Date.now(), 'all');
    const toMessages = (items: typeof sent) =>
      items.map(({ name }) => ({ type: 'ingest-file' as const, pipelineId, generation, itemId: name }));
    const [first, rest] = [sent.filter(({ isFirst }) => isFirst), sent.filter(({ isFirst }) => !isFirst)];
    if (first.length > 0) await this.#context.queues.sendFirst(toMessages(first));
    if (rest.length > 0) await this.#context.queues.sendAll(toMessages(rest));
  }

  /**
   * Returns whether a request may add items to the run. Items can be processed once the index that the run writes to is
   * prepared, which planning does before it adds its first item. In a run with data sources, the first items are these.
   */
  acceptsItems({ state, scope }: Run): boolean {
    if (state === 'working') return true;
    return state === 'planning' && scope.sources.length === 0 && this.#ledger.hasItems();
  }

  /** Called when planning is complete. Small items of a small run are processed first. */
  onPlanned(): void {
    if (this.#ledger.countInState('waiting') <= MAX_SMALL_RUN_ITEMS) this.#ledger.prioritizeQuick();
  }

  /**
   * Moves the sync run to its next phase, or ends it, once all of its items have ended. A cancelled run also
   * ends after a grace period.
   */
  async settle(): Promise<void> {
    const run = this.#ledger.current();
    if (!run) return;
    const isFinished = !this.#ledger.hasOpenItems();
    if (run.state === 'working' && isFinished) await this.conclude(run, null);
    if (run.state === 'reading' && isFinished) {
      const begun = { planSentAt: Date.now(), planAttempts: 1, planStarts: 0 };
      this.#ledger.setRun({ state: 'planning', sourcesRead: true, ...begun });
      await this.sendPlan(run);
    }
    if (run.state === 'cancelling') {
      const patience = (run.cancelledAt ?? 0) + CANCEL_GRACE_MS;
      if (this.#ledger.countInState('claimed') === 0 || Date.now() > patience)
        await this.conclude(run, { status: 'CANCELLED' });
    }
  }

  /**
   * Ends the sync run and stores its result. May run more than once, because the alarm repeats the call until
   * it succeeds.
   */
  async conclude(run: Run, verdict: Verdict | null): Promise<void> {
    this.#ledger.setRun({ state: 'concluding', verdict });
    const { isReplaced, isBehind } = await concludeRun(this.#context, this.#ledger.current()!);
    const now = this.#ledger.current();
    if (now?.generation !== run.generation || now.state === 'done') return;
    const again = isBehind ? mergeScopes(now.again, buildScope({ reason: 'change' })) : now.again;
    this.#ledger.setRun({ state: 'done', finishedAt: Date.now(), again });
    if (isReplaced) await this.#clock.scheduleCleanup();
    await this.#clock.arm();
    await this.startFollowUp(this.#ledger.current()!);
  }

  /** Starts the run that was requested during the previous run, unless there is no work for another run. */
  async startFollowUp(run: Run): Promise<void> {
    const { again, generation, pipelineId } = run;
    if (!again) return;
    const isNeeded = await hasDifferences(this.#context, run, again.sources);
    const now = this.#ledger.current();
    if (now?.generation !== generation || now.state !== 'done') return;
    if (isNeeded) await this.begin(pipelineId, { reason: 'change' }, now.again ?? again);
    else this.#ledger.setRun({ again: null });
  }
}

export function isOpen(run: Run): boolean {
  return run.state === 'planning' || run.state === 'reading' || run.state === 'working';
}
