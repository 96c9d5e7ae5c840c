import { MAX_ATTEMPTS, RESEND_MS, secondsUntilNextStart } from '#src/work/backoff.ts';
import { LEASE_MS } from '#src/work/lease.ts';
import type { Run } from '#src/work/sync-owner.ts';
import type { RunLedger } from './run-ledger.ts';
import { describeNoProgress, NO_PROGRESS_MS, type SyncRun } from './sync-run.ts';

/** Time in milliseconds without progress after which the planning message is sent again. */
const RESEND_PLAN_MS = 2 * LEASE_MS;

/**
 * Checks a sync run when the alarm fires. Lost messages are sent again, and work without progress is failed.
 */
export class SyncWatch {
  readonly #ledger: RunLedger;
  readonly #run: SyncRun;
  /**
   * True until this instance of the Durable Object has checked the run once. Messages sent before a restart
   * may be lost.
   */
  #isFirstCheck = true;

  constructor(ledger: RunLedger, run: SyncRun) {
    this.#ledger = ledger;
    this.#run = run;
  }

  /**
   * Records that this instance of the Durable Object started the run. No message of the run can then have
   * been lost in a restart.
   */
  markStarted(): void {
    this.#isFirstCheck = false;
  }

  async check(): Promise<void> {
    const isFirst = this.#isFirstCheck;
    this.#isFirstCheck = false;
    const run = this.#ledger.current();
    if (!run) return;
    if (run.state === 'done') return this.#run.startFollowUp(run);
    if (run.state === 'concluding') return this.#run.conclude(run, run.verdict);
    const now = Date.now();
    if (isFirst) this.#recoverAfterRestart(run, now);
    this.#ledger.requeueSent(now - RESEND_MS);
    for (const itemIds of this.#ledger.leases.expired(now)) await this.#run.restartFewerOrFail(itemIds);
    for (const itemId of this.#ledger.listStuckClaims(now - NO_PROGRESS_MS)) {
      await this.#run.fail(itemId, { message: describeNoProgress('The work'), step: 'INGESTION' });
    }
    await this.#watchPlanning(now);
    await this.#endWithoutProgress(now);
    await this.#run.refill();
    await this.#run.settle();
  }

  /**
   * Sends all messages of the run again after a restart. An in-memory queue loses its messages when the
   * process ends.
   */
  #recoverAfterRestart(run: Run, now: number): void {
    this.#ledger.requeueSent(now);
    this.#ledger.leases.shorten(now);
    if (run.state !== 'planning') return;
    // Planning that repeatedly crashes its process is retried after growing pauses.
    const wait = run.planStarts > 1 ? 1000 * secondsUntilNextStart(run.planStarts) : 0;
    this.#ledger.setRun({ planSentAt: wait && now + wait - RESEND_PLAN_MS, planAttempts: 0 });
  }

  async #watchPlanning(now: number): Promise<void> {
    const run = this.#ledger.current();
    if (run?.state !== 'planning' || this.#run.isWaitingForMore(run, now)) return;
    if (now - run.progressAt > NO_PROGRESS_MS || run.planAttempts > MAX_ATTEMPTS) {
      const message = 'The sync made no progress while determining what changed.';
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
    const error = { message: describeNoProgress('The sync'), step: 'INGESTION' } as const;
    await this.#run.conclude(run, { status: 'ERROR', error });
  }
}
