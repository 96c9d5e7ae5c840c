import { DurableObject } from 'cloudflare:workers';
import { type Context, createContext } from '#src/context.ts';
import type { IngestionError } from '#src/db/schema/pipelines.ts';
import type { Bindings } from '#src/env.ts';
import { Conflict } from '#src/errors.ts';
import { newId } from '#src/ids.ts';
import { dropRetired } from '#src/services/indexes/lifecycle.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { concludeRun, itemFailed, openRun, somethingChanged } from '#src/services/sync/runs.ts';
import { scheduledSources } from '#src/services/sync/schedules.ts';
import type {
  Assignment,
  Claim,
  Outcome,
  Phase,
  ReleaseFailure,
  Run,
  RunView,
  Scope,
  StartRequest,
  SyncOwner,
  Verdict,
  WorkItem,
} from '#src/work/sync-owner.ts';
import type { TokenGrant, TokenKey, TokenOwner } from '#src/work/token-owner.ts';
import { PipelineErasure } from './pipeline-erasure.ts';
import { RunLedger } from './run-ledger.ts';
import { SyncSchedule } from './sync-schedule.ts';
import { scopeOf, together } from './sync-scope.ts';
import { TokenKeeper } from './token-keeper.ts';

type Failure = Pick<IngestionError, 'message' | 'step'>;

/** Items of one pipeline that may be in the queue or at work at once: others get their turn in between. */
const IN_FLIGHT = 16;
/** A consumer that has not shown itself for so long is taken for dead. Consumers beat every 3 s. */
const LEASE_MS = 30_000;
/** After this object was restarted, consumers that live on have this long to show it. */
const LEASE_AFTER_RESTART_MS = 7_000;
/** A message not picked up for so long is sent again; arriving twice does no harm. */
const RESEND_MS = 120_000;
const TICK_MS = 5_000;
const FIRST_TICK_MS = 1_000;
const MAX_ATTEMPTS = 4;
/** After this long without any progress an item, and with it the run, is ended with its reason. */
const MINUTES = 10;
const NO_PROGRESS_MS = MINUTES * 60_000;
const CANCEL_GRACE_MS = 8_000;
/** When a replaced index is to be dropped. */
const CLEANUP_MS = 65_000;
/** Names under which the object remembers its pipeline and its tidying. */
const PIPELINE = 'pipeline';
const CLEANUP = 'cleanup';

/**
 * The one owner of a pipeline's sync: it alone decides what is to be done, sends it, and knows what came of
 * it. Queues carry names of items only, so losing, doubling or delaying a message loses or doubles no work.
 */
export class PipelineSync extends DurableObject<Bindings> implements SyncOwner, TokenOwner {
  #ledger: RunLedger;
  readonly #context: Context;
  readonly #schedule: SyncSchedule;
  readonly #erasure: PipelineErasure;
  readonly #tokens: TokenKeeper;
  /** Until the first tick of this instance, what was sent before it may be lost. */
  #restarted = true;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#ledger = new RunLedger(state.storage.sql);
    this.#schedule = new SyncSchedule(state.storage);
    this.#context = createContext(env, state, { object: 'pipeline-sync' });
    this.#erasure = new PipelineErasure(state.storage, this.#context);
    this.#tokens = new TokenKeeper(state, () => {
      const { ENCRYPTION_KEY, ENCRYPTION_KEYS_PREVIOUS } = this.#context.settings;
      return keyRingOf(ENCRYPTION_KEY, ENCRYPTION_KEYS_PREVIOUS);
    });
  }

  async start(pipelineId: string, request: StartRequest): Promise<RunView> {
    if (await this.#erasure.isUnderWay()) throw new Conflict(`Pipeline ${pipelineId} is being deleted.`);
    const run = this.#ledger.current();
    const scope = together(run?.again ?? null, scopeOf(request));
    if (run && run.state !== 'done') {
      this.#ledger.setRun({ again: scope });
      return this.#view(this.#ledger.current()!);
    }
    return this.#begin(pipelineId, request.reason, scope);
  }

  async #begin(pipelineId: string, reason: string, scope: Scope): Promise<RunView> {
    const run = this.#ledger.open({ pipelineId, jobId: newId(), reason, scope }, Date.now());
    this.#restarted = false;
    await this.#arm(FIRST_TICK_MS);
    await this.#sendPlan(run);
    return this.#view(run);
  }

  async schedule(pipelineId: string): Promise<void> {
    if (await this.#erasure.isUnderWay()) return;
    await this.ctx.storage.put(PIPELINE, pipelineId);
    await this.#schedule.replace(await scheduledSources(this.#context, pipelineId), Date.now());
    await this.#arm();
  }

  /** Sets the one alarm to whatever comes first: the run's next look, an appointment, tidying. */
  async #arm(tick = TICK_MS): Promise<void> {
    const now = Date.now();
    const run = this.#ledger.current();
    const isOn = run !== null && (run.state !== 'done' || run.again !== null);
    const sending = isOn ? this.#ledger.nextSending(now) : null;
    const times = [
      ...(isOn ? [now + tick, Math.max(sending ?? Number.POSITIVE_INFINITY, run.pausedUntil)] : []),
      (await this.#schedule.nextAt()) ?? Number.POSITIVE_INFINITY,
      (await this.ctx.storage.get<number>(CLEANUP)) ?? Number.POSITIVE_INFINITY,
    ];
    const next = Math.min(...times);
    if (Number.isFinite(next)) await this.ctx.storage.setAlarm(Math.max(next, now));
  }

  async #sendPlan(run: Run): Promise<void> {
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

  async cancel(): Promise<RunView | null> {
    const run = this.#ledger.current();
    if (!run) return null;
    if (isOpen(run)) {
      this.#ledger.dropWaiting();
      this.#ledger.setRun({ state: 'cancelling', again: null, cancelledAt: Date.now() });
      await this.#settle();
    } else this.#ledger.setRun({ again: null });
    return this.#view(this.#ledger.current()!);
  }

  async view(): Promise<RunView | null> {
    const run = this.#ledger.current();
    return run && this.#view(run);
  }

  #view(run: Run): RunView {
    const { jobId, generation, counters, startedAt, finishedAt } = run;
    const phase = run.state === 'reading' ? 'planning' : run.state;
    const state = phase === 'concluding' ? 'working' : phase;
    return { jobId, generation, state, counters, startedAt, finishedAt, items: this.#ledger.counts() };
  }

  async assignment(generation: number): Promise<Assignment | undefined> {
    const run = this.#active(generation);
    if (run?.state !== 'planning') return undefined;
    const sources = run.sourcesRead ? [] : run.scope.sources;
    return { jobId: run.jobId, ...run.scope, sources, phase: phaseOf(run) };
  }

  async plan(generation: number, phase: Phase, items: WorkItem[], last: boolean): Promise<boolean> {
    const run = this.#active(generation);
    // A message that came late may still be about the sources, which were read meanwhile.
    if (run?.state !== 'planning' || phaseOf(run) !== phase) return false;
    const now = Date.now();
    this.#ledger.add(generation, items);
    this.#ledger.setRun({ planSentAt: now, progressAt: now });
    if (last) this.#ledger.setRun({ state: run.sourcesRead ? 'working' : 'reading' });
    await this.#refill();
    await this.#settle();
    return true;
  }

  async planFailed(generation: number, error: Failure): Promise<void> {
    const run = this.#active(generation);
    if (run?.state !== 'planning') return;
    this.#ledger.dropWaiting();
    await this.#conclude(run, { status: 'ERROR', error });
  }

  async claim(generation: number, itemId: string, consumer: string): Promise<Claim> {
    const run = this.#active(generation);
    const entry = this.#ledger.get(itemId);
    if (!run || run.state === 'cancelling' || !entry) return { go: false, why: 'drop' };
    if (entry.state === 'done' || entry.state === 'failed' || entry.waitsForParts) {
      return { go: false, why: 'drop' };
    }
    const now = Date.now();
    if (entry.state === 'claimed' && entry.leaseUntil > now) return { go: false, why: 'busy' };
    const version = this.#ledger.nextVersion(now);
    this.#ledger.claim(itemId, consumer, now + LEASE_MS, version);
    const { jobId } = run;
    return { go: true, item: entry.item, generation, jobId, attempt: entry.attempts + 1, version };
  }

  async heartbeat(generation: number, itemId: string, consumer: string, progress = false): Promise<boolean> {
    if (!this.#holds(generation, itemId, consumer)) return false;
    if (this.#ledger.current()?.state === 'cancelling') return false;
    const now = Date.now();
    this.#ledger.renew(itemId, now + LEASE_MS);
    if (progress) this.#ledger.progressed(itemId, now);
    return true;
  }

  async split(generation: number, itemId: string, consumer: string, parts: WorkItem[]): Promise<void> {
    if (!this.#holds(generation, itemId, consumer)) return;
    const added = this.#ledger.add(generation, parts, itemId);
    if (added > 0) {
      this.#ledger.requeue(itemId, 0);
      this.#ledger.progressed(itemId, Date.now());
    } else if (this.#ledger.hasFailedParts(itemId)) {
      // The part has said what is wrong with the file.
      this.#ledger.settle(itemId, 'failed');
    } else {
      const message = 'What had been done of its parts is gone.';
      await this.#tryAgainOrFail(itemId, { message, step: 'PARSE' });
    }
    await this.#refill();
    await this.#settle();
  }

  async finish(generation: number, itemId: string, consumer: string, outcome: Outcome): Promise<void> {
    if (!this.#holds(generation, itemId, consumer)) return;
    this.#ledger.add(generation, outcome.next ?? []);
    this.#ledger.settle(itemId, outcome.error ? 'failed' : 'done');
    this.#ledger.addCounters(outcome.counters);
    this.#ledger.progressed(itemId, Date.now());
    if (outcome.counters.superseded) {
      this.#ledger.setRun({ again: together(this.#ledger.current()!.again, scopeOf({ reason: 'change' })) });
    }
    await this.#refill();
    await this.#settle();
  }

  async release(
    generation: number,
    itemId: string,
    consumer: string,
    failure: ReleaseFailure,
  ): Promise<void> {
    if (!this.#holds(generation, itemId, consumer)) return;
    await this.#tryAgainOrFail(itemId, failure);
    await this.#refill();
    await this.#settle();
    await this.#arm();
  }

  async giveUp(generation: number, itemId: string, failure: Failure): Promise<void> {
    const run = this.#active(generation);
    const entry = this.#ledger.get(itemId);
    if (!run || !entry || entry.state === 'done' || entry.state === 'failed') return;
    // Of a message that came twice one may be dead and the other at work.
    if (entry.state === 'claimed' && entry.leaseUntil > Date.now()) return;
    // Written down first: a failure that is settled is not looked at again.
    await itemFailed(this.#context, run, entry.item, failure);
    this.#ledger.settle(itemId, 'failed');
    await this.#settle();
  }

  async takeToken(key: TokenKey): Promise<TokenGrant> {
    // A consumer that lives on must leave nothing behind in an object that has been forgotten.
    if (!this.#ledger.current()) throw new Conflict('The pipeline has no sync that could need a token.');
    return this.#tokens.take(key);
  }

  keepToken(key: TokenKey, lease: string, token: string, until: number): Promise<void> {
    return this.#tokens.keep(key, lease, token, until);
  }

  abandonToken(key: TokenKey, lease: string): Promise<void> {
    return this.#tokens.abandon(key, lease);
  }

  dropToken(key: TokenKey, token: string): Promise<void> {
    return this.#tokens.drop(key, token);
  }

  forgetTokens(dataSourceId: string): Promise<void> {
    return this.#tokens.forget(dataSourceId);
  }

  async erase(pipelineId: string, now: boolean): Promise<void> {
    await this.#erasure.begin(pipelineId, now);
    const run = this.#ledger.current();
    if (run && run.state !== 'done') {
      this.#ledger.dropWaiting();
      this.#ledger.setRun({ state: 'cancelling', again: null, cancelledAt: Date.now() });
    }
    if (now && (await this.#erasure.finishNow(this.#ledger))) await this.drop();
  }

  async drop(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#ledger = new RunLedger(this.ctx.storage.sql);
  }

  /** The clock of the run: finds what is lost or stuck, sends it again, and ends what cannot be helped. */
  override async alarm(): Promise<void> {
    if (await this.#erasure.isUnderWay()) {
      if (await this.#erasure.goOn(this.#ledger)) await this.drop();
      return;
    }
    // First of all, so that whatever happens next the clock goes on.
    await this.#arm();
    await this.#keepAppointments();
    await this.#tidyUp();
    const run = this.#ledger.current();
    if (!run) return;
    if (run.state === 'done') return this.#follow(run);
    if (run.state === 'concluding') return this.#conclude(run, run.verdict);
    const now = Date.now();
    if (this.#restarted) {
      // Queues may have lost their messages with the process that held them.
      this.#restarted = false;
      this.#ledger.requeueSent(now);
      this.#ledger.shortenLeases(now + LEASE_AFTER_RESTART_MS);
      if (run.state === 'planning') this.#ledger.setRun({ planSentAt: 0, planAttempts: 0 });
    }
    this.#ledger.requeueSent(now - RESEND_MS);
    for (const itemId of this.#ledger.expiredClaims(now)) {
      await this.#tryAgainOrFail(itemId, { message: 'The work stopped without a word.', step: 'INGESTION' });
    }
    for (const itemId of this.#ledger.stuckClaims(now - NO_PROGRESS_MS)) {
      await this.#fail(itemId, {
        message: `The work got no further for ${MINUTES} minutes.`,
        step: 'INGESTION',
      });
    }
    await this.#watchPlanning(now);
    await this.#endWithoutProgress(now);
    await this.#refill();
    await this.#settle();
  }

  /** A source that is due while a run is on is read by the run after it: runs never overlap. */
  async #keepAppointments(): Promise<void> {
    const pipelineId = await this.ctx.storage.get<string>(PIPELINE);
    const sources = await this.#schedule.takeDue(Date.now());
    if (pipelineId && sources.length > 0) await this.start(pipelineId, { reason: 'schedule', sources });
  }

  async #tidyUp(): Promise<void> {
    const at = await this.ctx.storage.get<number>(CLEANUP);
    const run = this.#ledger.current();
    if (at === undefined || at > Date.now() || !run) return;
    const isWaiting = await dropRetired(this.#context, run.pipelineId);
    if (isWaiting) await this.ctx.storage.put(CLEANUP, Date.now() + CLEANUP_MS);
    else await this.ctx.storage.delete(CLEANUP);
    await this.#arm();
  }

  async #endWithoutProgress(now: number): Promise<void> {
    const run = this.#ledger.current();
    if (run?.state !== 'reading' && run?.state !== 'working') return;
    if (now - run.progressAt <= NO_PROGRESS_MS) return;
    this.#ledger.dropWaiting();
    const message = `The sync got no further for ${MINUTES} minutes.`;
    await this.#conclude(run, { status: 'ERROR', error: { message, step: 'INGESTION' } });
  }

  async #watchPlanning(now: number): Promise<void> {
    const run = this.#ledger.current();
    if (run?.state !== 'planning') return;
    if (now - run.progressAt > NO_PROGRESS_MS || run.planAttempts > MAX_ATTEMPTS) {
      const message = 'Finding out what changed made no progress.';
      await this.#conclude(run, { status: 'ERROR', error: { message, step: 'DATA_SOURCE' } });
    } else if (now - run.planSentAt > LEASE_MS * 2) {
      this.#ledger.setRun({ planSentAt: now, planAttempts: run.planAttempts + 1 });
      await this.#sendPlan(run);
    }
  }

  async #tryAgainOrFail(itemId: string, failure: ReleaseFailure): Promise<void> {
    const entry = this.#ledger.get(itemId);
    const run = this.#ledger.current();
    if (!entry || !run) return;
    const { retryAfterSeconds, message, step } = failure;
    const now = Date.now();
    if (retryAfterSeconds === undefined) {
      if (entry.attempts >= MAX_ATTEMPTS || run.state === 'cancelling') {
        return this.#fail(itemId, { message, step });
      }
      this.#ledger.requeue(itemId, now + 1000 * Math.min(60, 2 ** entry.attempts) * (0.5 + Math.random()));
      return this.#ledger.addCounters({ retries: 1 });
    }
    // Never earlier than asked, and not all at the same moment.
    const until = now + 1000 * (retryAfterSeconds + Math.random() * Math.max(1, retryAfterSeconds / 4));
    if (until - run.progressAt > NO_PROGRESS_MS || run.state === 'cancelling') {
      const asked = `${message} (it asked to be left alone for ${retryAfterSeconds} s)`;
      return this.#fail(itemId, { message: asked, step });
    }
    this.#ledger.forgiveAttempt(itemId);
    this.#ledger.requeue(itemId, until);
    this.#ledger.setRun({ pausedUntil: Math.max(run.pausedUntil, now + 1000 * retryAfterSeconds) });
    this.#ledger.addCounters({ retries: 1, throttled: 1 });
  }

  async #fail(itemId: string, failure: Failure): Promise<void> {
    const run = this.#ledger.current();
    const entry = this.#ledger.get(itemId);
    if (!run || !entry) return;
    if (run.state !== 'cancelling') await itemFailed(this.#context, run, entry.item, failure);
    this.#ledger.settle(itemId, 'failed');
  }

  async #refill(): Promise<void> {
    const run = this.#ledger.current();
    if (!run || !isOpen(run) || run.pausedUntil > Date.now()) return;
    const { pipelineId, generation } = run;
    // Half at a time: many messages in one call instead of a call for each.
    if (this.#ledger.inFlight() > IN_FLIGHT / 2) return;
    const itemIds = this.#ledger.takeForSending(IN_FLIGHT, Date.now());
    await this.#context.queues.sendAll(
      itemIds.map((itemId) => ({ type: 'ingest-file' as const, pipelineId, generation, itemId })),
    );
  }

  /** Ends the run when nothing is left to wait for. */
  async #settle(): Promise<void> {
    const run = this.#ledger.current();
    if (!run) return;
    const nothingLeft = !this.#ledger.hasOpenItems();
    if (run.state === 'working' && nothingLeft) await this.#conclude(run, null);
    if (run.state === 'reading' && nothingLeft) {
      this.#ledger.setRun({ state: 'planning', sourcesRead: true, planSentAt: Date.now(), planAttempts: 1 });
      await this.#sendPlan(run);
    }
    if (run.state === 'cancelling') {
      const patience = (run.cancelledAt ?? 0) + CANCEL_GRACE_MS;
      if (this.#ledger.countIn('claimed') === 0 || Date.now() > patience)
        await this.#conclude(run, { status: 'CANCELLED' });
    }
  }

  /** May run twice; the alarm repeats it until it has gone through. */
  async #conclude(run: Run, verdict: Verdict | null): Promise<void> {
    this.#ledger.setRun({ state: 'concluding', verdict });
    const { isReplaced, isBehind } = await concludeRun(this.#context, this.#ledger.current()!);
    const now = this.#ledger.current();
    if (now?.generation !== run.generation || now.state === 'done') return;
    const again = isBehind ? together(now.again, scopeOf({ reason: 'change' })) : now.again;
    this.#ledger.setRun({ state: 'done', finishedAt: Date.now(), again });
    if (isReplaced) await this.ctx.storage.put(CLEANUP, Date.now() + CLEANUP_MS);
    await this.#arm();
    await this.#follow(this.#ledger.current()!);
  }

  /** The one further run after a run, when there is anything for it to do. */
  async #follow(run: Run): Promise<void> {
    const { again, generation, pipelineId } = run;
    if (!again) return;
    const isNeeded = await somethingChanged(this.#context, run, again.sources);
    const now = this.#ledger.current();
    if (now?.generation !== generation || now.state !== 'done') return;
    if (isNeeded) await this.#begin(pipelineId, 'change', now.again ?? again);
    else this.#ledger.setRun({ again: null });
  }

  #active(generation: number): Run | null {
    const run = this.#ledger.current();
    return run && run.generation === generation && run.state !== 'done' && run.state !== 'concluding'
      ? run
      : null;
  }

  #holds(generation: number, itemId: string, consumer: string): boolean {
    const entry = this.#ledger.get(itemId);
    return this.#active(generation) !== null && entry?.state === 'claimed' && entry.consumer === consumer;
  }
}

/** What planning is about: first what the sources hold, then what differs. */
const phaseOf = (run: Run): Phase => (run.sourcesRead ? 'differences' : 'sources');

/** Still taking and sending work. */
function isOpen(run: Run): boolean {
  return run.state === 'planning' || run.state === 'reading' || run.state === 'working';
}
