import type { Context } from '#src/context/context.ts';
import type { IngestionError } from '#src/db/schema/pipelines.ts';
import { newId } from '#src/lib/ids.ts';
import { concludeRun, itemFailed, openRun, somethingChanged } from '#src/services/sync/runs.ts';
import {
  MAX_ATTEMPTS,
  MAX_STARTS,
  neverEnded,
  secondsAsPatient,
  secondsUntilNextStart,
  secondsUntilRetry,
} from '#src/work/backoff.ts';
import type { ReleaseFailure, Run, Scope, StartRequest, Verdict } from '#src/work/sync-owner.ts';
import type { RunLedger } from './run-ledger.ts';
import { FIRST_TICK_MS, PATIENCE, type SyncClock } from './sync-clock.ts';
import { scopeOf, together } from './sync-scope.ts';

export type Failure = Pick<IngestionError, 'message' | 'step'>;

/**
 * What of one pipeline may be in the queue or at work at once: others get their turn in between. A message may name
 * many small items, which take as long as one large one or two.
 */
const IN_FLIGHT = { messages: 16, items: 1_000 };
/** With what somebody waits for, which does not wait for the rest of its run. */
const WITH_FIRST = { messages: 20, items: 1_100 };
/** A run of at most so many items is somebody's who waits for it. */
const FEW_ITEMS = 20;
/** After this long without any progress an item, and with it the run, is ended with its reason. */
const MINUTES = 10;
export const NO_PROGRESS_MS = MINUTES * 60_000;
export const noProgress = (what: string) => `${what} got no further for ${MINUTES} minutes.`;
const CANCEL_GRACE_MS = 8_000;

/** The moves of a run: begun, its items sent, tried again or failed, ended, and followed by the next. */
export class SyncRun {
  readonly #ledger: RunLedger;
  readonly #clock: SyncClock;
  readonly #context: Context;
  /** When a run that waits for more was last asked for; another instance does not wait for more. */
  #askedAt = 0;

  constructor(ledger: RunLedger, clock: SyncClock, context: Context) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#context = context;
  }

  /** A patient one is planned by the alarm when no more of the same comes, or when somebody does not want to wait. */
  async begin(
    pipelineId: string,
    { reason, patient = false, follows }: Pick<StartRequest, 'reason' | 'patient' | 'follows'>,
    scope: Scope,
  ): Promise<Run> {
    const run = this.#ledger.open({ pipelineId, jobId: newId(), reason, scope }, Date.now(), follows);
    if (patient) this.#ledger.setRun({ planSentAt: -1 });
    this.#askedAt = Date.now();
    await this.#clock.arm(FIRST_TICK_MS);
    if (patient) await openRun(this.#context, run);
    else await this.sendPlan(run);
    return run;
  }

  /** What is asked for while a run waits is done by that run. */
  async join(run: Run, request: StartRequest): Promise<Run> {
    const scope = together(run.scope, scopeOf(request));
    this.#ledger.setRun({ scope, sourcesRead: scope.sources.length === 0 });
    this.#askedAt = Date.now();
    if (!request.patient) {
      this.#ledger.setRun({ reason: request.reason, planSentAt: Date.now() });
      await this.sendPlan(this.#ledger.current()!);
    }
    return this.#ledger.current()!;
  }

  /** Whether more of the same is still likely to come. */
  waitsForMore({ state, planSentAt, startedAt }: Run, now: number): boolean {
    if (state !== 'planning' || planSentAt >= 0) return false;
    return now - this.#askedAt < PATIENCE.pauseMs && now - startedAt < PATIENCE.mostMs;
  }

  async sendPlan(run: Run): Promise<void> {
    const { pipelineId, generation } = run;
    try {
      await openRun(this.#context, run);
      await this.#context.queues.send({ type: 'sync-pipeline', pipelineId, generation });
    } catch (error) {
      // The alarm's next look sends it.
      this.#ledger.setRun({ planSentAt: 0 });
      throw error;
    }
  }

  /** After an attempt that ended in a failure. */
  async tryAgainOrFail(
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
    const until = now + 1000 * secondsAsPatient(retryAfterSeconds, random);
    if (until - run.progressAt > NO_PROGRESS_MS || run.state === 'cancelling') {
      const asked = `${message} (it asked to be left alone for ${retryAfterSeconds} s)`;
      return this.fail(itemId, { message: asked, step });
    }
    this.#ledger.forgiveAttempt(itemId);
    this.#ledger.requeue(itemId, until);
    this.#ledger.setRun({ pausedUntil: Math.max(run.pausedUntil, now + 1000 * retryAfterSeconds) });
    this.#ledger.addCounters({ retries: 1, throttled: 1 });
  }

  /** After an attempt in which they failed by one call: whose fault it was shows when fewer are tried together. */
  async tryFewerOrFail(itemIds: string[], failure: ReleaseFailure): Promise<void> {
    const isOpenStill = this.#ledger.current()?.state !== 'cancelling';
    if (itemIds.length === 1 || failure.retryAfterSeconds !== undefined || !isOpenStill) {
      // All at one moment: who waits for the same goes together again.
      const moment = { now: Date.now(), random: Math.random() };
      for (const itemId of itemIds) await this.tryAgainOrFail(itemId, failure, moment);
      return;
    }
    this.#ledger.requeueWithFewer(itemIds, Date.now() + 1000 * secondsUntilRetry(1));
    this.#ledger.addCounters({ retries: itemIds.length });
  }

  /** After a start whose consumer fell silent: the work of several may have stopped its process, or of one of them. */
  async startFewerOrFail(itemIds: string[]): Promise<void> {
    if (itemIds.length === 1 || this.#ledger.current()?.state === 'cancelling') {
      for (const itemId of itemIds) await this.startAgainOrFail(itemId);
      return;
    }
    const seconds = secondsUntilNextStart(1, this.#context.settings.RESTART_WAIT_SECONDS);
    this.#ledger.requeueWithFewer(itemIds, Date.now() + 1000 * seconds);
    this.#ledger.addCounters({ retries: itemIds.length });
  }

  /** After a start whose consumer fell silent. */
  async startAgainOrFail(itemId: string): Promise<void> {
    const entry = this.#ledger.get(itemId);
    const run = this.#ledger.current();
    if (!entry || !run) return;
    const { starts } = entry;
    if (starts >= MAX_STARTS) return this.fail(itemId, { message: neverEnded(starts), step: 'INGESTION' });
    if (run.state === 'cancelling') {
      return this.fail(itemId, { message: 'The work stopped without a word.', step: 'INGESTION' });
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
    if (run.state !== 'cancelling') await itemFailed(this.#context, run, entry.item, failure);
    this.#ledger.settle([itemId], 'failed');
  }

  async refill(): Promise<void> {
    const run = this.#ledger.current();
    if (!run || !isOpen(run) || run.pausedUntil > Date.now()) return;
    const { pipelineId, generation } = run;
    // Half at a time: many messages in one call instead of a call for each, and full ones.
    const { messages, items } = this.#ledger.inFlight();
    const isFull = messages > IN_FLIGHT.messages / 2 || items > IN_FLIGHT.items / 2;
    const sent = isFull
      ? this.#ledger.takeForSending(WITH_FIRST, Date.now(), 'first')
      : this.#ledger.takeForSending(IN_FLIGHT, Date.now(), 'all');
    const named = (those: typeof sent) =>
      those.map(({ name }) => ({ type: 'ingest-file' as const, pipelineId, generation, itemId: name }));
    const [first, rest] = [sent.filter(({ isFirst }) => isFirst), sent.filter(({ isFirst }) => !isFirst)];
    if (first.length > 0) await this.#context.queues.sendFirst(named(first));
    if (rest.length > 0) await this.#context.queues.sendAll(named(rest));
  }

  /** The plan is whole: of few items each goes first. */
  planned(): void {
    if (this.#ledger.countIn('waiting') <= FEW_ITEMS) this.#ledger.putQuickFirst();
  }

  /** Ends the run when nothing is left to wait for. */
  async settle(): Promise<void> {
    const run = this.#ledger.current();
    if (!run) return;
    const nothingLeft = !this.#ledger.hasOpenItems();
    if (run.state === 'working' && nothingLeft) await this.conclude(run, null);
    if (run.state === 'reading' && nothingLeft) {
      const begun = { planSentAt: Date.now(), planAttempts: 1, planStarts: 0 };
      this.#ledger.setRun({ state: 'planning', sourcesRead: true, ...begun });
      await this.sendPlan(run);
    }
    if (run.state === 'cancelling') {
      const patience = (run.cancelledAt ?? 0) + CANCEL_GRACE_MS;
      if (this.#ledger.countIn('claimed') === 0 || Date.now() > patience)
        await this.conclude(run, { status: 'CANCELLED' });
    }
  }

  /** May run twice; the alarm repeats it until it has gone through. */
  async conclude(run: Run, verdict: Verdict | null): Promise<void> {
    this.#ledger.setRun({ state: 'concluding', verdict });
    const { isReplaced, isBehind } = await concludeRun(this.#context, this.#ledger.current()!);
    const now = this.#ledger.current();
    if (now?.generation !== run.generation || now.state === 'done') return;
    const again = isBehind ? together(now.again, scopeOf({ reason: 'change' })) : now.again;
    this.#ledger.setRun({ state: 'done', finishedAt: Date.now(), again });
    if (isReplaced) await this.#clock.cleanUpLater();
    await this.#clock.arm();
    await this.follow(this.#ledger.current()!);
  }

  /** The one further run after a run, when there is anything for it to do. */
  async follow(run: Run): Promise<void> {
    const { again, generation, pipelineId } = run;
    if (!again) return;
    const isNeeded = await somethingChanged(this.#context, run, again.sources);
    const now = this.#ledger.current();
    if (now?.generation !== generation || now.state !== 'done') return;
    if (isNeeded) await this.begin(pipelineId, { reason: 'change' }, now.again ?? again);
    else this.#ledger.setRun({ again: null });
  }
}

/** Still taking and sending work. */
export function isOpen(run: Run): boolean {
  return run.state === 'planning' || run.state === 'reading' || run.state === 'working';
}
