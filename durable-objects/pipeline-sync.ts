import { type Context, createContext } from '#src/context/context.ts';
import { Conflict } from '#src/lib/errors.ts';
import { dropRetired } from '#src/services/indexes/lifecycle.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { itemFailed } from '#src/services/sync/runs.ts';
import { scheduledSources } from '#src/services/sync/schedules.ts';
import type { Bindings } from '#src/settings/env.ts';
import { MAX_STARTS, neverEnded } from '#src/work/backoff.ts';
import type {
  Assignment,
  Claim,
  Ended,
  Phase,
  Run,
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
import { scopeOf, together } from './sync/sync-scope.ts';
import { SyncWatch } from './sync/sync-watch.ts';
import { TokenKeeper } from './token-keeper.ts';
import { TracedObject } from './traced-object.ts';

/**
 * Maximum number of planning starts. A queue message may arrive twice, and each arrival counts as a start.
 */
const MAX_PLAN_STARTS = 2 * MAX_STARTS;
const PIPELINE = 'pipeline';

/**
 * Owns the sync runs of a pipeline. Only this object decides which work items are due, sends them and records
 * their results.
 * Messages contain only item names, so a lost, repeated or late message neither loses nor repeats work.
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
      return keyRingOf(ENCRYPTION_KEY, ENCRYPTION_KEYS_PREVIOUS);
    });
    this.#clock = new SyncClock(state.storage, this.objectAlarm, this.#ledger, this.#schedule);
    this.#run = new SyncRun(this.#ledger, this.#clock, this.#context);
    this.#watch = new SyncWatch(this.#ledger, this.#run);
  }

  async start(pipelineId: string, request: StartRequest): Promise<RunView> {
    if (await this.#erasure.isUnderWay()) throw new Conflict(`Pipeline ${pipelineId} is being deleted.`);
    const run = this.#ledger.current();
    if (run && run.state === 'planning' && run.planSentAt < 0) {
      return this.#view(await this.#run.join(run, request));
    }
    const scope = together(run?.again ?? null, scopeOf(request));
    if (run && run.state !== 'done') {
      this.#ledger.setRun({ again: scope });
      if (run.state === 'working' && request.first) {
        this.#ledger.addFirst(run.generation, request.first);
        await this.#run.refill();
      }
      return this.#view(this.#ledger.current()!);
    }
    this.#watch.begun();
    return this.#view(await this.#run.begin(pipelineId, request, scope));
  }

  async schedule(pipelineId: string): Promise<void> {
    if (await this.#erasure.isUnderWay()) return;
    await this.ctx.storage.put(PIPELINE, pipelineId);
    await this.#schedule.replace(await scheduledSources(this.#context, pipelineId), Date.now());
    await this.#clock.arm();
  }

  async cancel(): Promise<RunView | null> {
    const run = this.#ledger.current();
    if (!run) return null;
    if (isOpen(run)) {
      this.#ledger.dropWaiting();
      this.#ledger.setRun({ state: 'cancelling', again: null, cancelledAt: Date.now() });
      await this.#run.settle();
    } else this.#ledger.setRun({ again: null });
    return this.#view(this.#ledger.current()!);
  }

  async view(): Promise<RunView | null> {
    const run = this.#ledger.current();
    return run && this.#view(run);
  }

  #view(run: Run): RunView {
    const { jobId, generation, counters, startedAt, finishedAt, progressAt } = run;
    const phase = run.state === 'reading' ? 'planning' : run.state;
    const state = phase === 'concluding' ? 'working' : phase;
    const items = this.#ledger.counts();
    return {
      jobId,
      generation,
      state,
      counters,
      startedAt,
      finishedAt,
      progressAt,
      items,
      isFollowed: run.again !== null,
    };
  }

  async assignment(generation: number): Promise<Assignment | undefined> {
    const run = this.#active(generation);
    if (run?.state !== 'planning') return undefined;
    if (run.planStarts >= MAX_PLAN_STARTS) {
      this.#ledger.dropWaiting();
      const error = { message: neverEnded(run.planStarts), step: 'MANAGED_INGESTION' } as const;
      await this.#run.conclude(run, { status: 'ERROR', error });
      return undefined;
    }
    const starts = run.planStarts + 1;
    this.#ledger.setRun({ planStarts: starts });
    const sources = run.sourcesRead ? [] : run.scope.sources;
    return { jobId: run.jobId, ...run.scope, sources, phase: phaseOf(run), starts };
  }

  async plan(generation: number, phase: Phase, items: WorkItem[], last: boolean): Promise<boolean> {
    const run = this.#active(generation);
    // A late message may belong to the source phase, which is already complete.
    if (run?.state !== 'planning' || phaseOf(run) !== phase) return false;
    const now = Date.now();
    const added = this.#ledger.add(generation, items);
    this.#ledger.setRun({ planSentAt: now, progressAt: now });
    // Items that an earlier start already added do not count as progress.
    if (last || added > 0) this.#ledger.setRun({ planStarts: 0 });
    if (last) this.#ledger.setRun({ state: run.sourcesRead ? 'working' : 'reading' });
    if (last) this.#run.planned();
    await this.#run.refill();
    await this.#run.settle();
    return true;
  }

  async planReleased(generation: number, keepsStarts = false): Promise<void> {
    if (keepsStarts || this.#active(generation)?.state !== 'planning') return;
    this.#ledger.setRun({ planStarts: 0 });
  }

  async planFailed(generation: number, error: Failure): Promise<void> {
    const run = this.#active(generation);
    if (run?.state !== 'planning') return;
    this.#ledger.dropWaiting();
    await this.#run.conclude(run, { status: 'ERROR', error });
  }

  async claim(generation: number, name: string, consumer: string): Promise<Claim> {
    const run = this.#active(generation);
    if (!run || run.state === 'cancelling') return { go: false, why: 'drop' };
    const { ids, isHeld } = this.#ledger.named(name);
    const startable = ids.filter((itemId) => {
      const entry = this.#ledger.get(itemId)!;
      // Skip items with too many starts. The alarm fails them.
      return !entry.waitsForParts && entry.starts < MAX_STARTS;
    });
    if (startable.length === 0) return { go: false, why: 'drop' };
    const { items, version } = this.#ledger.claim(startable, consumer, Date.now());
    if (items.length === 0) return { go: false, why: isHeld ? 'busy' : 'drop' };
    return { go: true, items, generation, jobId: run.jobId, version };
  }

  async heartbeat(generation: number, consumer: string, progress = false): Promise<boolean> {
    const run = this.#active(generation);
    if (!run || run.state === 'cancelling') return false;
    const now = Date.now();
    if (!this.#ledger.renew(consumer, now)) return false;
    if (progress) this.#ledger.progressed(this.#ledger.heldBy(consumer), now);
    return true;
  }

  async report(generation: number, consumer: string, ended: Ended[]): Promise<void> {
    if (!this.#active(generation)) return;
    const held = new Set(this.#ledger.heldBy(consumer));
    const own = ended.filter(({ itemId }) => held.has(itemId));
    if (own.length === 0) return;
    this.#finish(generation, own);
    for (const { itemId, parts } of own.filter((each) => 'parts' in each)) {
      await this.#split(generation, itemId, parts);
    }
    const failures = own.filter((each) => 'failure' in each);
    const groupOf = ({ itemId, failure }: (typeof failures)[number]) =>
      failure.together ? JSON.stringify(failure) : itemId;
    for (const some of Map.groupBy(failures, groupOf).values()) {
      const ids = some.map(({ itemId }) => itemId);
      await this.#run.tryFewerOrFail(ids, some[0]!.failure);
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
    this.#ledger.progressed([...done, ...failed], Date.now());
    if (sum.superseded) {
      this.#ledger.setRun({ again: together(this.#ledger.current()!.again, scopeOf({ reason: 'change' })) });
    }
  }

  async #split(generation: number, itemId: string, parts: WorkItem[]): Promise<void> {
    const added = this.#ledger.add(generation, parts, itemId);
    if (added > 0) {
      this.#ledger.requeue(itemId, 0);
      this.#ledger.progressed([itemId], Date.now());
    } else if (this.#ledger.hasFailedParts(itemId)) {
      // The failed part has already reported the error of the file.
      this.#ledger.settle([itemId], 'failed');
    } else {
      const message = 'What had been done of its parts is gone.';
      await this.#run.tryAgainOrFail(itemId, { message, step: 'PARSE' });
    }
  }

  async giveUp(generation: number, name: string, failure: Failure): Promise<void> {
    const run = this.#active(generation);
    if (!run) return;
    for (const itemId of this.#ledger.named(name).ids) {
      const entry = this.#ledger.get(itemId)!;
      // If a message arrived twice, one consumer may have failed while the other is working.
      if (entry.state === 'claimed' && entry.leaseUntil > Date.now()) continue;
      // The failure is stored first, because a settled item is not examined again.
      await itemFailed(this.#context, run, entry.item, failure);
      this.#ledger.settle([itemId], 'failed');
    }
    await this.#run.settle();
  }

  async takeToken(key: TokenKey): Promise<TokenGrant> {
    // A running consumer must not write tokens to an object whose state was deleted.
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
    this.#ledger.create();
  }

  /** Resumes whatever a run, a schedule or a deletion waits for, because messages can be lost. */
  protected override async woken(): Promise<void> {
    if (await this.#erasure.isUnderWay()) {
      if (await this.#erasure.goOn(this.#ledger)) await this.drop();
      return;
    }
    // The alarm is set first, so that it continues after any failure.
    await this.#clock.arm();
    await this.#keepAppointments();
    await this.#tidyUp();
    await this.#watch.look();
  }

  /**
   * Starts the sources that are due. If a run is active, the next run reads them, because runs never overlap.
   */
  async #keepAppointments(): Promise<void> {
    const pipelineId = await this.ctx.storage.get<string>(PIPELINE);
    const sources = await this.#schedule.takeDue(Date.now());
    if (pipelineId && sources.length > 0) await this.start(pipelineId, { reason: 'schedule', sources });
  }

  async #tidyUp(): Promise<void> {
    const run = this.#ledger.current();
    if (!run || !(await this.#clock.isCleanupDue())) return;
    const isWaiting = await dropRetired(this.#context, run.pipelineId);
    if (isWaiting) await this.#clock.cleanUpLater();
    else await this.#clock.cleanedUp();
    await this.#clock.arm();
  }

  #active(generation: number): Run | null {
    const run = this.#ledger.current();
    return run && run.generation === generation && run.state !== 'done' && run.state !== 'concluding'
      ? run
      : null;
  }
}

/** Returns the planning phase. The sources are read first, then compared with the stored files. */
const phaseOf = (run: Run): Phase => (run.sourcesRead ? 'differences' : 'sources');
