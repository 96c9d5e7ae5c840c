import { DurableObject } from 'cloudflare:workers';
import { type Context, createContext } from '#src/context.ts';
import type { Bindings } from '#src/env.ts';
import { messageOf } from '#src/errors.ts';
import { findJob, settleJob } from '#src/services/jobs/transitions.ts';
import type { JobKind, JobOwner, JobPhase, JobView, OpenJob } from '#src/work/job-owner.ts';
import { DeliveryTurn } from './delivery-turn.ts';

/** A worker that has not shown itself for so long is taken for dead. Workers beat every 3 s. */
const LEASE_MS = 30_000;
/** After a restart, workers that live on have this long to show it. */
const LEASE_AFTER_RESTART_MS = 5_000;
/** A message not picked up for so long is sent again; arriving twice does no harm. */
const RESEND_MS = 120_000;
/** How often the object looks whether it was restarted: soon at first, seldom when its job waits long. */
const SHORTEST_TICK_MS = 5_000;
const LONGEST_TICK_MS = 20_000;
/** A job that nobody took up in that time has failed. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

interface Row extends Record<string, SqlStorageValue> {
  kind: JobKind;
  jobId: string;
  phase: JobPhase;
  attempt: number;
  attempts: number;
  timeoutMs: number;
  openedAt: number;
  consumer: string | null;
  leaseUntil: number;
  deadline: number;
  notBefore: number;
  sentAt: number;
  /** The runtime that sent the job's message, or gave the job away: another one may have lost both. */
  runtime: string;
  step: string | null;
  failure: string | null;
  /** Whether the end is written in the database. */
  settled: number;
}

let runtime: string | undefined;
/** Names this process: queues may lose their messages with it. */
const runtimeId = () => {
  runtime ??= crypto.randomUUID();
  return runtime;
};

/**
 * The owner of one extract, classify or parse job: lets one worker at a time have it, sends its message again
 * when that got lost, takes it back from a worker that fell silent, and ends it when its time or its attempts
 * are used up. It also gives out the turns in which the job's webhooks are delivered.
 */
export class JobState extends DurableObject<Bindings> implements JobOwner {
  readonly #sql: SqlStorage;
  readonly #context: Context;
  /** There once the tables are: an object that owns nothing keeps nothing. */
  #deliveries: DeliveryTurn | undefined;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#context = createContext(env, state, { object: 'job-state' });
    const isMade = this.#sql.exec("select 1 from sqlite_master where name = 'job'").toArray().length > 0;
    if (isMade) this.#takeUp();
  }

  #takeUp(): DeliveryTurn {
    if (this.#deliveries) return this.#deliveries;
    this.#sql.exec(`create table if not exists job (
      id integer primary key check (id = 1), kind text not null, jobId text not null,
      phase text not null default 'waiting', attempt integer not null default 0, attempts integer not null,
      timeoutMs integer not null, openedAt integer not null, consumer text,
      leaseUntil integer not null default 0, deadline integer not null default 0,
      notBefore integer not null default 0, sentAt integer not null, runtime text not null, step text,
      failure text, settled integer not null default 0)`);
    this.#deliveries = new DeliveryTurn(this.#sql);
    return this.#deliveries;
  }

  async open(job: OpenJob): Promise<void> {
    this.#record(job);
    await this.#arm();
  }

  #record({ kind, jobId, timeoutMs, attempts }: OpenJob): void {
    const now = Date.now();
    this.#takeUp();
    this.#sql.exec(
      `insert or ignore into job (id, kind, jobId, attempts, timeoutMs, openedAt, sentAt, runtime)
       values (1, ?, ?, ?, ?, ?, ?, ?)`,
      ...[kind, jobId, attempts, timeoutMs, now, now, runtimeId()],
    );
  }

  async claim(consumer: string): Promise<{ go: boolean; attempt: number }> {
    const row = this.#row();
    const now = Date.now();
    const free =
      (row?.phase === 'waiting' && row.notBefore <= now) ||
      (row?.phase === 'claimed' && row.leaseUntil <= now && row.attempt < row.attempts);
    if (!row || !free) return { go: false, attempt: row?.attempt ?? 0 };
    this.#sql.exec(
      `update job set phase = 'claimed', consumer = ?, leaseUntil = ?, deadline = ?, runtime = ?,
         attempt = attempt + 1`,
      ...[consumer, now + LEASE_MS, now + row.timeoutMs, runtimeId()],
    );
    await this.#arm();
    return { go: true, attempt: row.attempt + 1 };
  }

  async heartbeat(consumer: string, step?: string): Promise<boolean> {
    const row = this.#row();
    const now = Date.now();
    if (!row || !holds(row, consumer) || now >= row.deadline) return false;
    this.#sql.exec(
      'update job set leaseUntil = ?, runtime = ?, step = ifnull(?, step)',
      ...[now + LEASE_MS, runtimeId(), step ?? null],
    );
    return true;
  }

  async finish(consumer: string): Promise<void> {
    const row = this.#row();
    if (!row || !holds(row, consumer)) return;
    this.#sql.exec("update job set phase = 'finished', consumer = null, settled = 1");
    await this.#arm();
  }

  async release(consumer: string, failure: string, retryAfterSeconds?: number): Promise<void> {
    const row = this.#row();
    if (row && holds(row, consumer)) await this.#retryOrFail(row, failure, retryAfterSeconds);
  }

  async fail(consumer: string, failure: string): Promise<void> {
    const row = this.#row();
    if (row && holds(row, consumer)) await this.#end('failed', failure);
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
    this.#deliveries = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async notify(jobId: string): Promise<void> {
    const now = Date.now();
    this.#takeUp().add(jobId, now);
    await this.#sendDeliveries(now);
    await this.#arm();
  }

  async claimDeliveries(consumer: string): Promise<boolean> {
    const granted = this.#deliveries?.claim(consumer, Date.now()) ?? false;
    if (granted) await this.#arm();
    return granted;
  }

  async releaseDeliveries(consumer: string, nextAt: number | null): Promise<void> {
    const now = Date.now();
    if (this.#deliveries?.release(consumer, nextAt, now)) await this.#sendDeliveries(now);
    await this.#arm();
  }

  async #sendDeliveries(now: number): Promise<void> {
    const jobId = this.#deliveries?.takeDue(now, now + LONGEST_TICK_MS);
    if (!jobId) return;
    // The alarm first: it sends again what gets lost from here on.
    await this.#arm();
    await this.#context.queues.send({ type: 'deliver-webhook', jobId }).catch((error: unknown) => {
      this.#context.log.warn('sending a delivery turn failed', { jobId, error: messageOf(error) });
    });
  }

  /** Finds what is lost or stuck, sends it again, and ends what cannot be helped. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    // The platform gives an alarm that fails up after a while.
    await this.ctx.storage.setAlarm(now + LONGEST_TICK_MS);
    await this.#sendDeliveries(now);
    const row = this.#row();
    if (row?.phase === 'waiting') await this.#watchWaiting(row, now);
    if (row?.phase === 'claimed') await this.#watchClaimed(row, now);
    if (row && isOver(row) && !row.settled) await this.#settle(row);
    await this.#arm();
  }

  async #watchWaiting(row: Row, now: number): Promise<void> {
    if (now - row.openedAt > LONGEST_WAIT_MS) {
      return this.#end('failed', 'No worker took the job up in time.');
    }
    const isLost = row.runtime !== runtimeId() || now - row.sentAt > RESEND_MS;
    if (row.notBefore > now || !isLost) return;
    if (await findJob(this.#context, row.kind, row.jobId)) await this.#send(row, now);
    // Its project is gone.
    else await this.drop();
  }

  async #watchClaimed(row: Row, now: number): Promise<void> {
    if (row.runtime !== runtimeId()) {
      const leaseUntil = Math.min(row.leaseUntil, now + LEASE_AFTER_RESTART_MS);
      this.#sql.exec('update job set leaseUntil = ?, runtime = ?', leaseUntil, runtimeId());
    } else if (now >= row.deadline) {
      await this.#retryOrFail(row, 'TIMEOUT: The job took too long.');
    } else if (row.leaseUntil <= now) {
      await this.#retryOrFail(row, 'The worker stopped without a word.');
    }
  }

  async #send({ kind, jobId }: Row, now: number): Promise<void> {
    this.#sql.exec('update job set sentAt = ?, runtime = ?', now, runtimeId());
    await this.#context.queues.send({ type: kind, jobId });
  }

  async #retryOrFail(row: Row, failure: string, retryAfterSeconds?: number): Promise<void> {
    if (row.attempt >= row.attempts) return this.#end('failed', failure);
    const backoff = Math.min(60, 2 ** row.attempt) * (0.5 + Math.random());
    const now = Date.now();
    const wait = 1000 * (retryAfterSeconds ?? backoff);
    this.#sql.exec(
      `update job set phase = 'waiting', consumer = null, failure = ?, notBefore = ?, runtime = ''`,
      failure,
      Math.round(now + wait),
    );
    await this.#arm();
  }

  /** The phase first: from here on no worker's result is taken. */
  async #end(phase: 'failed' | 'cancelled', failure: string | null): Promise<void> {
    this.#sql.exec('update job set phase = ?, consumer = null, failure = ?', phase, failure);
    await this.#arm();
    await this.#settle(this.#row()!);
  }

  /** Writes the end; the alarm repeats it until it has gone through. */
  async #settle(row: Row): Promise<void> {
    const status = row.phase === 'cancelled' ? 'CANCELLED' : 'FAILED';
    const { events } = await settleJob(this.#context, row.kind, row.jobId, {
      status,
      errorMessage: row.failure,
    });
    this.#sql.exec('update job set settled = 1');
    if (events) this.#takeUp().add(row.jobId, Date.now());
    await this.#sendDeliveries(Date.now());
    await this.#arm();
  }

  /** Wakes when there is something to look at; without anything it forgets, and is no more. */
  async #arm(): Promise<void> {
    const times = [this.#jobWakeAt(), this.#deliveries?.wakeAt()].filter((time) => time !== undefined);
    if (times.length > 0) {
      await this.ctx.storage.setAlarm(Math.max(Math.min(...times), Date.now() + 50));
    } else await this.drop();
  }

  #jobWakeAt(): number | undefined {
    const row = this.#row();
    if (!row || (isOver(row) && row.settled)) return undefined;
    const now = Date.now();
    if (isOver(row)) return now + SHORTEST_TICK_MS;
    const tick = Math.min(LONGEST_TICK_MS, SHORTEST_TICK_MS + (now - row.openedAt) / 4);
    if (row.phase === 'claimed') return Math.min(now + tick, row.leaseUntil, row.deadline);
    return row.notBefore > now ? row.notBefore : now + tick;
  }

  #row(): Row | undefined {
    return this.#deliveries && this.#sql.exec<Row>('select * from job').toArray()[0];
  }
}

const isOver = (row: Row) => row.phase !== 'waiting' && row.phase !== 'claimed';
const holds = (row: Row, consumer: string) => row.phase === 'claimed' && row.consumer === consumer;
