import { type Context, createContext } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { findJob, settleJob } from '#src/services/jobs/transitions.ts';
import type { Bindings } from '#src/settings/env.ts';
import {
  describeUnfinishedStarts,
  MAX_STARTS,
  RESEND_MS,
  secondsUntilNextStart,
  secondsUntilRetry,
} from '#src/work/backoff.ts';
import type { JobOwner, JobView, OpenJob } from '#src/work/job-owner.ts';
import { Leases } from '#src/work/lease.ts';
import { DeliveryTurn } from './jobs/delivery-turn.ts';
import {
  getRuntimeId,
  isClaimable,
  isExhausted,
  isHeldBy,
  isOver,
  type JobRow as Row,
} from './jobs/job-row.ts';
import { JOB_UPGRADES } from './jobs/job-state.schema.ts';
import { upgradeStorage } from './storage-upgrades.ts';
import { TracedObject } from './traced-object.ts';

/**
 * Minimum and maximum interval in milliseconds between checks for a lost job. The interval grows with the age
 * of the job.
 */
const MIN_TICK_MS = 5_000;
const MAX_TICK_MS = 20_000;
/** Time in milliseconds after which a job fails if no worker has claimed it. */
const MAX_WAIT_MS = 24 * 3_600_000;

const ID = 1;

/**
 * Durable Object that owns one extract, classify or parse job. At most one worker holds the job at a time.
 * The owner sends lost messages again, and takes the job back from a worker that stopped responding. It ends
 * the job when its time or attempts are used up. It also assigns the webhook deliveries of the job to a
 * worker.
 */
export class JobState extends TracedObject<Bindings> implements JobOwner {
  readonly #sql: SqlStorage;
  readonly #context: Context;
  /**
   * Tables of the job. `undefined` until they have been created, because an object without a job stores
   * nothing.
   */
  #tables: { deliveries: DeliveryTurn; leases: Leases } | undefined;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#context = createContext(env, state, { object: 'job-state' });
    const hasTables = this.#sql.exec("select 1 from sqlite_master where name = 'job'").toArray().length > 0;
    if (hasTables) this.#ensureTables();
  }

  #ensureTables() {
    if (this.#tables) return this.#tables;
    upgradeStorage(this.ctx.storage, JOB_UPGRADES);
    this.#tables = { deliveries: new DeliveryTurn(this.#sql), leases: new Leases(this.#sql, 'job') };
    return this.#tables;
  }

  async open(job: OpenJob): Promise<void> {
    this.#record(job);
    await this.#arm();
  }

  #record({ kind, jobId, timeoutMs, attempts, projectId }: OpenJob): void {
    const now = Date.now();
    this.#ensureTables();
    this.#sql.exec(
      `insert or ignore into job (id, kind, jobId, attempts, timeoutMs, openedAt, sentAt, runtime, waiter)
       values (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[kind, jobId, attempts, timeoutMs, now, now, getRuntimeId(), projectId ?? null],
    );
  }

  async claim(consumer: string): Promise<{ go: boolean; attempt: number }> {
    const row = this.#row();
    const now = Date.now();
    if (!row || !isClaimable(row, now) || !this.#ensureTables().leases.claim(ID, consumer, now)) {
      return { go: false, attempt: row?.attempt ?? 0 };
    }
    this.#sql.exec(
      "update job set phase = 'claimed', deadline = ?, runtime = ?, attempt = attempt + 1",
      ...[now + row.timeoutMs, getRuntimeId()],
    );
    await this.#arm();
    return { go: true, attempt: row.attempt + 1 };
  }

  async heartbeat(consumer: string, step?: string): Promise<boolean> {
    const row = this.#row();
    const now = Date.now();
    if (!row || !isHeldBy(row, consumer) || now >= row.deadline) return false;
    this.#sql.exec('update job set runtime = ?, step = ifnull(?, step)', getRuntimeId(), step ?? null);
    return this.#ensureTables().leases.renew(ID, consumer, now);
  }

  async finish(consumer: string): Promise<void> {
    const row = this.#row();
    if (!row || !isHeldBy(row, consumer)) return;
    this.#ensureTables().leases.end(ID);
    this.#sql.exec("update job set phase = 'finished', settled = 1");
    this.#notifyIntake(row);
    await this.#arm();
  }

  async release(consumer: string, failure: string, retryAfterSeconds?: number): Promise<void> {
    const row = this.#row();
    if (row && isHeldBy(row, consumer)) await this.#retryOrFail(row, failure, retryAfterSeconds);
  }

  async fail(consumer: string, failure: string): Promise<void> {
    const row = this.#row();
    if (row && isHeldBy(row, consumer)) await this.#end('failed', failure);
  }

  async cancel(job: OpenJob): Promise<void> {
    this.#record(job);
    if (!isOver(this.#row()!)) await this.#end('cancelled', null);
  }

  async view(): Promise<JobView | null> {
    const row = this.#row();
    if (!row) return null;
    const { kind, phase, attempt, step, failure } = row;
    return { kind, phase, attempt, step, failure };
  }

  async drop(): Promise<void> {
    this.#notifyIntake(this.#row());
    this.#tables = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async notify(jobId: string): Promise<void> {
    const now = Date.now();
    this.#ensureTables().deliveries.add(jobId, now);
    await this.#sendDeliveries(now);
    await this.#arm();
  }

  async claimDeliveries(consumer: string): Promise<boolean> {
    const granted = this.#tables?.deliveries.claim(consumer, Date.now()) ?? false;
    if (granted) await this.#arm();
    return granted;
  }

  async startDelivery(consumer: string, deliveryId: string): Promise<number | undefined> {
    return this.#tables?.deliveries.start(consumer, deliveryId, Date.now());
  }

  async releaseDeliveries(consumer: string, nextAt: number | null): Promise<void> {
    const now = Date.now();
    if (this.#tables?.deliveries.release(consumer, nextAt, now)) await this.#sendDeliveries(now);
    await this.#arm();
  }

  async #sendDeliveries(now: number): Promise<void> {
    const jobId = this.#tables?.deliveries.takeDue(now, now + MAX_TICK_MS);
    if (!jobId) return;
    // The alarm is set before the message is sent. If sending fails, the alarm tries again.
    await this.#arm();
    await this.#context.queues.send({ type: 'deliver-webhook', jobId }).catch((error: unknown) => {
      this.#context.log.warn('sending a webhook delivery message failed', {
        jobId,
        error: getErrorMessage(error),
      });
    });
  }

  /** Sends lost messages again and ends jobs that cannot be continued. */
  protected override async onAlarm(): Promise<void> {
    const now = Date.now();
    // Cloudflare stops retrying an alarm that keeps failing, so the alarm is set again before any work that
    // may throw.
    await this.objectAlarm.setAt(now + MAX_TICK_MS);
    await this.#sendDeliveries(now);
    const row = this.#row();
    if (row?.phase === 'waiting') await this.#watchWaiting(row, now);
    if (row?.phase === 'claimed') await this.#watchClaimed(row, now);
    if (row && isOver(row) && !row.settled) await this.#settle(row);
    await this.#arm();
  }

  async #watchWaiting(row: Row, now: number): Promise<void> {
    if (now - row.openedAt > MAX_WAIT_MS) {
      return this.#end('failed', 'No worker started the job within 24 hours.');
    }
    const isLost = row.runtime !== getRuntimeId() || now - row.sentAt > RESEND_MS;
    if (row.notBefore > now || !isLost) return;
    if (await findJob(this.#context, row.kind, row.jobId)) await this.#send(row, now);
    // The project was deleted together with the job's row, so the object deletes its state.
    else await this.drop();
  }

  async #watchClaimed(row: Row, now: number): Promise<void> {
    if (row.runtime !== getRuntimeId()) {
      this.#ensureTables().leases.shorten(now);
      this.#sql.exec('update job set runtime = ?', getRuntimeId());
    } else if (now >= row.deadline) {
      await this.#retryOrFail(row, 'TIMEOUT: The job exceeded its time limit.');
    } else if (row.leaseUntil <= now) {
      await this.#restartOrFail(row);
    }
  }

  async #send({ kind, jobId }: Row, now: number): Promise<void> {
    this.#sql.exec('update job set sentAt = ?, runtime = ?', now, getRuntimeId());
    await this.#context.queues.send({ type: kind, jobId });
  }

  async #retryOrFail(row: Row, failure: string, retryAfterSeconds?: number): Promise<void> {
    if (isExhausted(row)) return this.#end('failed', failure);
    this.#ensureTables().leases.end(ID);
    await this.#wait(failure, retryAfterSeconds ?? secondsUntilRetry(row.attempt));
  }

  /**
   * Puts a job back into the queue after its worker stopped responding. After too many starts, the job fails
   * instead.
   */
  async #restartOrFail({ starts }: Row): Promise<void> {
    if (starts >= MAX_STARTS) return this.#end('failed', describeUnfinishedStarts(starts));
    this.#ensureTables().leases.takeBack(ID);
    await this.#wait(
      'The worker stopped responding.',
      secondsUntilNextStart(starts, this.#context.settings.RESTART_WAIT_SECONDS),
    );
  }

  async #wait(failure: string, seconds: number): Promise<void> {
    const notBefore = Math.round(Date.now() + 1000 * seconds);
    this.#sql.exec(
      "update job set phase = 'waiting', failure = ?, notBefore = ?, runtime = ''",
      ...[failure, notBefore],
    );
    await this.#arm();
  }

  /**
   * Ends the job. The phase is stored before anything else, so that late results of a worker are rejected.
   */
  async #end(phase: 'failed' | 'cancelled', failure: string | null): Promise<void> {
    this.#ensureTables().leases.end(ID);
    this.#sql.exec('update job set phase = ?, failure = ?', phase, failure);
    await this.#arm();
    await this.#settle(this.#row()!);
  }

  /**
   * Writes the final status of the job to the database. If writing fails, the alarm tries again until it
   * succeeds.
   */
  async #settle(row: Row): Promise<void> {
    const status = row.phase === 'cancelled' ? 'CANCELLED' : 'FAILED';
    const { events } = await settleJob(this.#context, row.kind, row.jobId, {
      status,
      errorMessage: row.failure,
    });
    this.#sql.exec('update job set settled = 1');
    this.#notifyIntake(row);
    if (events) this.#ensureTables().deliveries.add(row.jobId, Date.now());
    await this.#sendDeliveries(Date.now());
    await this.#arm();
  }

  /**
   * Notifies the project's intake that the job has ended, once and without waiting. If the notification is
   * lost, the intake's own checks find the ended job.
   */
  #notifyIntake(row: Row | undefined): void {
    if (!row?.waiter) return;
    this.#sql.exec('update job set waiter = null');
    this.#context.defer(this.#context.objects.jobIntake(row.waiter).ended(row.jobId));
  }

  /** Sets the alarm to the next due time. If nothing is due, the object deletes its state. */
  async #arm(): Promise<void> {
    const times = [this.#jobWakeAt(), this.#tables?.deliveries.wakeAt()].filter((time) => time !== undefined);
    if (times.length > 0) {
      await this.objectAlarm.setAt(Math.max(Math.min(...times), Date.now() + 50));
    } else await this.drop();
  }

  #jobWakeAt(): number | undefined {
    const row = this.#row();
    if (!row || (isOver(row) && row.settled)) return undefined;
    const now = Date.now();
    if (isOver(row)) return now + MIN_TICK_MS;
    const tick = Math.min(MAX_TICK_MS, MIN_TICK_MS + (now - row.openedAt) / 4);
    if (row.phase === 'claimed') return Math.min(now + tick, row.leaseUntil, row.deadline);
    return row.notBefore > now ? row.notBefore : now + tick;
  }

  #row(): Row | undefined {
    return this.#tables && this.#sql.exec<Row>('select * from job').toArray()[0];
  }
}
