import { type Context, createContext } from '#src/context/context.ts';
import { Conflict } from '#src/lib/errors.ts';
import { dropRetired } from '#src/services/indexes/lifecycle.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { recordItemFailure } from '#src/services/sync/runs.ts';
import { scheduledSources } from '#src/services/sync/schedules.ts';
import type { Bindings } from '#src/settings/env.ts';
import { describeUnfinishedStarts, MAX_STARTS } from '#src/work/backoff.ts';
import type {
  Assignment,
  Claim,
  Ended,
  Phase,
  Run,
  RunSummary,
  RunView,
  StartRequest,
  SyncOwner,
  WorkItem,
} from '#src/work/sync-owner.ts';
import type { TokenGrant, TokenKey, TokenOwner } from '#src/work/token-owner.ts';
import { PipelineErasure } from './pipeline-erasure.ts';
import { RunLedger } from './sync/run-ledger.ts';
import { SyncClock } from './sync/sync-clock.ts';
import { type Failure, isOpen, SyncRun } from './sync/sync-run.ts';
import { SyncSchedule } from './sync/sync-schedule.ts';
import { buildScope, mergeScopes } from './sync/sync-scope.ts';
import { SyncWatch } from './sync/sync-watch.ts';
import { TokenKeeper } from './token-keeper.ts';
import { TracedObject } from './traced-object.ts';

/**
 * Maximum number of times that the planning of a sync run is started without progress. A queue message may be
 * delivered twice, and each delivery counts as a start.
 */
const MAX_PLAN_STARTS = 2 * MAX_STARTS;
const PIPELINE_KEY = 'pipeline';

/**
 * Owns the sync runs of a pipeline. Only this object decides which items are due, sends them and records
 * their results.
 * Messages contain only names of items. Messages that are lost, repeated or late therefore neither lose nor
 * repeat work.
 */
export class PipelineSync extends TracedObject<Bindings> implements SyncOwner, TokenOwner {
  readonly #context: Context;
  readonly #ledger: RunLedger;
  readonly #schedule: SyncSchedule;
  readonly #erasure: PipelineErasure;
  readonly #tokens: TokenKeeper;
  readonly #clock: SyncClock;
  readonly #run: SyncRun;
  readonly #watch: SyncWatch;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#context = createContext(env, state, { object: 'pipeline-sync' });
    this.#ledger = new RunLedger(state.storage);
    this.#schedule = new SyncSchedule(state.storage);
    this.#erasure = new PipelineErasure(state.storage, this.objectAlarm, this.#context);
    this.#tokens = new TokenKeeper(state, () => {
      const { ENCRYPTION_KEY, ENCRYPTION_KEYS_PREVIOUS } = this.#context.settings;
      return parseKeyRing(ENCRYPTION_KEY, ENCRYPTION_KEYS_PREVIOUS);
    });
    this.#clock = new SyncClock(state.storage, this.objectAlarm, this.#ledger, this.#schedule);
    this.#run = new SyncRun(this.#ledger, this.#clock, this.#context);
    this.#watch = new SyncWatch(this.#ledger, this.#run);
  }

  async start(pipelineId: string, request: StartRequest): Promise<RunSummary> {
    if (await this.#erasure.isRunning()) throw new Conflict(`Pipeline ${pipelineId} is being deleted.`);
    const run = this.#ledger.current();
    if (run && run.state === 'planning' && run.planSentAt < 0) {
      return this.#summarize(await this.#run.join(run, request));
    }
    const scope = mergeScopes(run?.again ?? null, buildScope(request));
    if (run && run.state !== 'done') {
      this.#ledger.setRun({ again: scope });
      if (request.first && this.#run.acceptsItems(run)) {
        this.#ledger.addFirst(run.generation, request.first);
        await this.#run.refill();
      }
      return this.#summarize(this.#ledger.current()!);
    }
    this.#watch.markStarted();
    return this.#summarize(await this.#run.begin(pipelineId, request, scope));
  }

  async schedule(pipelineId: string): Promise<void> {
    if (await this.#erasure.isRunning()) return;
    await this.ctx.storage.put(PIPELINE_KEY, pipelineId);
    await this.#schedule.replace(await scheduledSources(this.#context, pipelineId), Date.now());
    await this.#clock.arm();
  }

  async cancel(): Promise<RunSummary | null> {
    const run = this.#ledger.current();
    if (!run) return null;
    if (isOpen(run)) {
      this.#ledger.dropWaiting();
      this.#ledger.setRun({ state: 'cancelling', again: null, cancelledAt: Date.now() });
      await this.#run.settle();
    } else this.#ledger.setRun({ again: null });
    return this.#summarize(this.#ledger.current()!);
  }

  async view(): Promise<RunView | null> {
    const run = this.#ledger.current();
    return run && { ...this.#summarize(run), items: this.#ledger.countByState() };
  }

  async summary(): Promise<RunSummary | null> {
    const run = this.#ledger.current();
    return run && this.#summarize(run);
  }

  #summarize(run: Run): RunSummary {
    const { jobId, generation, counters, startedAt, finishedAt, progressAt } = run;
    const phase = run.state === 'reading' ? 'planning' : run.state;
    const state = phase === 'concluding' ? 'working' : phase;
    return {
      jobId,
      generation,
      state,
      counters,
      startedAt,
      finishedAt,
      progressAt,
      isFollowed: run.again !== null,
    };
  }

  async assignment(generation: number): Promise<Assignment | undefined> {
    const run = this.#findActiveRun(generation);
    if (run?.state !== 'planning') return undefined;
    if (run.planStarts >= MAX_PLAN_STARTS) {
      this.#ledger.dropWaiting();
      const error = { message: describeUnfinishedStarts(run.planStarts), step: 'MANAGED_INGESTION' } as const;
      await this.#run.conclude(run, { status: 'ERROR', error });
      return undefined;
    }
    const starts = run.planStarts + 1;
    this.#ledger.setRun({ planStarts: starts });
    const sources = run.sourcesRead ? [] : run.scope.sources;
    return { jobId: run.jobId, ...run.scope, sources, phase: getPhase(run), starts };
  }

  async plan(generation: number, phase: Phase, items: WorkItem[], last: boolean): Promise<boolean> {
    const run = this.#findActiveRun(generation);
    // A late message may belong to the reading of data sources, a phase that has already ended.
    if (run?.state !== 'planning' || getPhase(run) !== phase) return false;
    const now = Date.now();
    const added = this.#ledger.add(generation, items);
    // An item may have been added by a request and processed before its content changed once more.
    this.#ledger.reopen(items, ['done']);
    this.#ledger.setRun({ planSentAt: now, progressAt: now });
    // The counter is reset only after progress. Items that an earlier start already added are not progress.
    if (last || added > 0) this.#ledger.setRun({ planStarts: 0 });
    if (last) this.#ledger.setRun({ state: run.sourcesRead ? 'working' : 'reading' });
    if (last) this.#run.onPlanned();
    await this.#run.refill();
    await this.#run.settle();
    return true;
  }

  async planReleased(generation: number, keepsStarts = false): Promise<void> {
    if (keepsStarts || this.#findActiveRun(generation)?.state !== 'planning') return;
    this.#ledger.setRun({ planStarts: 0 });
  }

  async planFailed(generation: number, error: Failure): Promise<void> {
    const run = this.#findActiveRun(generation);
    if (run?.state !== 'planning') return;
    this.#ledger.dropWaiting();
    await this.#run.conclude(run, { status: 'ERROR', error });
  }

  async claim(generation: number, name: string, consumer: string): Promise<Claim> {
    const run = this.#findActiveRun(generation);
    if (!run || run.state === 'cancelling') return { go: false, why: 'drop' };
    const { ids, isHeld } = this.#ledger.findByMessage(name);
    // Items that were started too often are not given out again. The alarm marks them as failed.
    const startable = this.#ledger.selectStartable(ids, MAX_STARTS);
    if (startable.length === 0) return { go: false, why: 'drop' };
    const { items, version } = this.#ledger.claim(startable, consumer, Date.now());
    if (items.length === 0) return { go: false, why: isHeld ? 'busy' : 'drop' };
    return { go: true, items, generation, jobId: run.jobId, version };
  }

  async heartbeat(generation: number, consumer: string, progress = false): Promise<boolean> {
    const run = this.#findActiveRun(generation);
    if (!run || run.state === 'cancelling') return false;
    const now = Date.now();
    if (!this.#ledger.renew(consumer, now)) return false;
    if (progress) this.#ledger.recordProgress(this.#ledger.listHeld(consumer), now);
    return true;
  }

  async report(generation: number, consumer: string, ended: Ended[]): Promise<void> {
    if (!this.#findActiveRun(generation)) return;
    const held = new Set(this.#ledger.listHeld(consumer));
    const own = ended.filter(({ itemId }) => held.has(itemId));
    if (own.length === 0) return;
    this.#finish(generation, own);
    for (const { itemId, parts } of own.filter((each) => 'parts' in each)) {
      await this.#split(generation, itemId, parts);
    }
    const failures = own.filter((each) => 'failure' in each);
    const getGroup = ({ itemId, failure }: (typeof failures)[number]) =>
      failure.together ? JSON.stringify(failure) : itemId;
    for (const some of Map.groupBy(failures, getGroup).values()) {
      const ids = some.map(({ itemId }) => itemId);
      await this.#run.retryFewerOrFail(ids, some[0]!.failure);
    }
    await this.#run.refill();
    await this.#run.settle();
    if (failures.length > 0) await this.#clock.arm();
  }

  #finish(generation: number, ended: Ended[]): void {
    const done: string[] = [];
    const failed: string[] = [];
    const sum: Record<string, number> = {};
    for (const each of ended) {
      if (!('outcome' in each)) continue;
      const { error, counters, next = [] } = each.outcome;
      (error ? failed : done).push(each.itemId);
      this.#ledger.add(generation, next);
      for (const [name, value] of Object.entries(counters)) sum[name] = (sum[name] ?? 0) + value;
    }
    if (done.length + failed.length === 0) return;
    this.#ledger.settle(done, 'done');
    this.#ledger.settle(failed, 'failed');
    this.#ledger.addCounters(
      Object.fromEntries(Object.entries(sum).map(([name, n]) => [name, Math.round(n)])),
    );
    this.#ledger.recordProgress([...done, ...failed], Date.now());
    if (sum.superseded) {
      this.#ledger.setRun({
        again: mergeScopes(this.#ledger.current()!.again, buildScope({ reason: 'change' })),
      });
    }
  }

  async #split(generation: number, itemId: string, parts: WorkItem[]): Promise<void> {
    const added = this.#ledger.add(generation, parts, itemId);
    if (added > 0) {
      this.#ledger.requeue(itemId, 0);
      this.#ledger.recordProgress([itemId], Date.now());
    } else if (this.#ledger.hasFailedParts(itemId)) {
      // The part that failed has already stored the error for the whole file.
      this.#ledger.settle([itemId], 'failed');
    } else {
      const message = 'The results of the parts of this file were deleted.';
      await this.#run.retryOrFail(itemId, { message, step: 'PARSE' });
    }
  }

  async giveUp(generation: number, name: string, failure: Failure): Promise<void> {
    const run = this.#findActiveRun(generation);
    if (!run) return;
    for (const itemId of this.#ledger.findByMessage(name).ids) {
      const entry = this.#ledger.get(itemId)!;
      // The message may have been delivered twice. This consumer has failed, but the other one is still
      // working.
      if (entry.state === 'claimed' && entry.leaseUntil > Date.now()) continue;
      // The error is stored before the item is marked as failed, because a failed item is not processed
      // again.
      await recordItemFailure(this.#context, run, entry.item, failure);
      this.#ledger.settle([itemId], 'failed');
    }
    await this.#run.settle();
  }

  async takeToken(key: TokenKey): Promise<TokenGrant> {
    // Without a sync run the object may have deleted its state. A consumer that is still running must not
    // store tokens there.
    if (!this.#ledger.current())
      throw new Conflict('The pipeline has no sync run, so it needs no access token.');
    return this.#tokens.take(key);
  }

  keepToken(key: TokenKey, lease: string, token: string, until: number): Promise<void> {
    return this.#tokens.store(key, lease, token, until);
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
    this.#ledger.create();
  }

  /**
   * Continues sync runs, scheduled syncs and deletions. The alarm is needed because queue messages can be
   * lost.
   */
  protected override async onAlarm(): Promise<void> {
    if (await this.#erasure.isRunning()) {
      if (await this.#erasure.runStep(this.#ledger)) await this.drop();
      return;
    }
    // The next alarm is set before the work, so that it fires again after any failure.
    await this.#clock.arm();
    await this.#startScheduledReads();
    await this.#dropRetiredIndexes();
    await this.#watch.check();
  }

  /**
   * Starts a sync run for the data sources that are due. If a run is active, the following run reads these
   * sources, because runs of a pipeline never overlap.
   */
  async #startScheduledReads(): Promise<void> {
    const pipelineId = await this.ctx.storage.get<string>(PIPELINE_KEY);
    const sources = await this.#schedule.takeDue(Date.now());
    if (pipelineId && sources.length > 0) await this.start(pipelineId, { reason: 'schedule', sources });
  }

  async #dropRetiredIndexes(): Promise<void> {
    const run = this.#ledger.current();
    if (!run || !(await this.#clock.isCleanupDue())) return;
    const isWaiting = await dropRetired(this.#context, run.pipelineId);
    if (isWaiting) await this.#clock.scheduleCleanup();
    else await this.#clock.clearCleanup();
    await this.#clock.arm();
  }

  #findActiveRun(generation: number): Run | null {
    const run = this.#ledger.current();
    return run && run.generation === generation && run.state !== 'done' && run.state !== 'concluding'
      ? run
      : null;
  }
}

/** Returns the phase of planning. Data sources are read first, then the files are compared with the index. */
const getPhase = (run: Run): Phase => (run.sourcesRead ? 'differences' : 'sources');
