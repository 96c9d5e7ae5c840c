import { MAX_ATTEMPTS, RESEND_MS, secondsUntilNextStart } from '#src/work/backoff.ts';
import { LEASE_MS } from '#src/work/lease.ts';
import type { Run } from '#src/work/sync-owner.ts';
import type { RunLedger } from './run-ledger.ts';
import { NO_PROGRESS_MS, noProgress, type SyncRun } from './sync-run.ts';

/** The message of a plan that got no further for so long is sent again. */
const RESEND_PLAN_MS = 2 * LEASE_MS;

/** What the alarm looks for in a run: what is lost or stuck is sent again, what cannot be helped is ended. */
export class SyncWatch {
  readonly #ledger: RunLedger;
  readonly #run: SyncRun;
  /** Until the first look of this instance, what was sent before it may be lost. */
  #isFirst = true;

  constructor(ledger: RunLedger, run: SyncRun) {
    this.#ledger = ledger;
    this.#run = run;
  }

  /** A run that this instance has begun has lost nothing to a restart. */
  begun(): void {
    this.#isFirst = false;
  }

  async look(): Promise<void> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const run = this.#ledger.current();
    if (!run) return;
    if (run.state === 'done') return this.#run.follow(run);
    if (run.state === 'concluding') return this.#run.conclude(run, run.verdict);
    const now = Date.now();
    if (isFirst) this.#restarted(run, now);
    this.#ledger.requeueSent(now - RESEND_MS);
    for (const itemIds of this.#ledger.leases.expired(now)) await this.#run.startFewerOrFail(itemIds);
    for (const itemId of this.#ledger.stuckClaims(now - NO_PROGRESS_MS)) {
      await this.#run.fail(itemId, { message: noProgress('The work'), step: 'INGESTION' });
    }
    await this.#watchPlanning(now);
    await this.#endWithoutProgress(now);
    await this.#run.refill();
    await this.#run.settle();
  }

  /** Queues may have lost their messages with the process that held them. */
  #restarted(run: Run, now: number): void {
    this.#ledger.requeueSent(now);
    this.#ledger.leases.shorten(now);
    if (run.state !== 'planning') return;
    // Planning that takes its process down is given longer and longer pauses.
    const wait = run.planStarts > 1 ? 1000 * secondsUntilNextStart(run.planStarts) : 0;
    this.#ledger.setRun({ planSentAt: wait && now + wait - RESEND_PLAN_MS, planAttempts: 0 });
  }

  async #watchPlanning(now: number): Promise<void> {
    const run = this.#ledger.current();
    if (run?.state !== 'planning' || this.#run.waitsForMore(run, now)) return;
    if (now - run.progressAt > NO_PROGRESS_MS || run.planAttempts > MAX_ATTEMPTS) {
      const message = 'Finding out what changed made no progress.';
      await this.#run.conclude(run, { status: 'ERROR', error: { message, step: 'DATA_SOURCE' } });
    } else if (now - run.planSentAt > RESEND_PLAN_MS) {
      this.#ledger.setRun({ planSentAt: now, planAttempts: run.planAttempts + 1 });
      await this.#run.sendPlan(run);
    }
  }

  async #endWithoutProgress(now: number): Promise<void> {
    const run = this.#ledger.current();
    if (run?.state !== 'reading' && run?.state !== 'working') return;
    if (now - run.progressAt <= NO_PROGRESS_MS) return;
    this.#ledger.dropWaiting();
    const error = { message: noProgress('The sync'), step: 'INGESTION' } as const;
    await this.#run.conclude(run, { status: 'ERROR', error });
  }
}
