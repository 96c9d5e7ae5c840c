import { type Context, createContext } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { findEndedJobs, type HandOverCallbacks, handOver } from '#src/services/jobs/hand-over.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { Intake, JobKind } from '#src/work/job-owner.ts';
import type { Leftover, LeftoverOwner } from '#src/work/leftovers.ts';
import { BATCHES_TABLE, BatchList } from './jobs/batch-list.ts';
import {
  EVALUATIONS_TABLE,
  EvaluationList,
  RUNS,
  SCHEDULES,
  SCHEDULES_TABLE,
} from './jobs/evaluation-list.ts';
import { JobSlots, RUNNING_JOBS_TABLE } from './jobs/job-slots.ts';
import { LeftoverList } from './jobs/leftover-list.ts';
import { QUEUED_JOBS_TABLE, QueuedJobs } from './jobs/queued-jobs.ts';
import { isAdmitted, WaitingJobs } from './jobs/waiting-jobs.ts';
import { addColumn, type Upgrade, upgradeStorage } from './storage-upgrades.ts';
import { TracedObject } from './traced-object.ts';

/**
 * Wait in milliseconds before the first lookup of a job's row, so that the lookup does not delay the response
 * to the client.
 */
const FIRST_LOOKUP_MS = 100;
/**
 * Minimum wait in milliseconds before a missing row is looked up again. The wait grows up to
 * `MAX_LOOKUP_WAIT_MS`.
 */
const MIN_LOOKUP_WAIT_MS = 500;
const MAX_LOOKUP_WAIT_MS = 20_000;
/** Time in milliseconds after which an announced job is forgotten if the database has no row of it. */
const FORGET_AFTER_MS = 120_000;
/** Maximum number of jobs that are passed to their owners in one round. An alarm runs several rounds. */
const MAX_JOBS_PER_ROUND = 100;
/**
 * Number of jobs that a project without a configured limit may run at once. It applies once the project
 * starts more jobs than this within a minute. It is half of the queue's consumers (see wrangler.toml), so
 * that other projects find free consumers.
 */
const DEFAULT_JOB_LIMIT = 40;
const BURST_MS = 60_000;
/**
 * Interval in milliseconds between checks for ended jobs that still hold a slot. The checks run only while
 * other jobs wait.
 */
const SLOT_CHECK_MS = 5_000;
/** Maximum number of rounds per alarm. A further round admits jobs into slots that became free. */
const ROUNDS_PER_ALARM = 10;

interface Row extends Record<string, SqlStorageValue> {
  jobId: string;
  kind: JobKind;
  announcedAt: number;
  lookAt: number;
  /** 1 if the job had to wait for a free slot, otherwise 0. */
  waits: number;
}

const ANNOUNCED_TABLE = `create table if not exists announced (
  jobId text primary key, kind text not null, announcedAt integer not null, lookAt integer not null)`;

function addPriorityColumns(sql: SqlStorage): void {
  for (const column of ['waits', 'rank']) addColumn(sql, 'announced', column, 'integer not null default 0');
}

export const INTAKE_UPGRADES: readonly Upgrade[] = [
  { changes: [ANNOUNCED_TABLE, QUEUED_JOBS_TABLE] },
  { changes: [addPriorityColumns, RUNNING_JOBS_TABLE] },
  { changes: [BATCHES_TABLE] },
  { changes: [EVALUATIONS_TABLE] },
  { changes: [SCHEDULES_TABLE] },
];

/**
 * Holds a project's jobs until their owners accept them. A request announces its job, inserts the row and
 * responds. An alarm then passes the job to its owner. Announcements are stored, so that a crash does not
 * lose jobs.
 * The intake also orders waiting jobs by priority, enforces the project's limit of concurrent jobs, and
 * clears leftovers of deletions.
 */
export class JobIntake extends TracedObject<Bindings> implements Intake, LeftoverOwner {
  readonly #sql: SqlStorage;
  readonly #context: Context;
  /** Tables of the project's jobs. `undefined` until they have been created. */
  #tables:
    | {
        line: QueuedJobs;
        room: JobSlots;
        waiting: WaitingJobs;
        batches: BatchList;
        evaluations: EvaluationList;
        schedules: EvaluationList;
      }
    | undefined;
  #leftovers: LeftoverList | undefined;
  /** Time of the next check for ended jobs that still hold a slot, in milliseconds since 1970. */
  #slotCheckAt = 0;
  /** Last known limit of the project's concurrent jobs. It is 1 until the real limit is known. */
  #limit = 1;
  #burst = { since: 0, jobs: 0 };

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#context = createContext(env, state, { object: 'job-intake' });
    if (LeftoverList.hasTable(this.#sql)) this.#leftovers = new LeftoverList(this.#sql, this.#context);
  }

  #ensureTables() {
    if (this.#tables) return this.#tables;
    upgradeStorage(this.ctx.storage, INTAKE_UPGRADES);
    this.#tables = {
      line: new QueuedJobs(this.#sql),
      room: new JobSlots(this.#sql),
      waiting: new WaitingJobs(this.#sql),
      batches: new BatchList(this.#sql, this.#context),
      evaluations: new EvaluationList(this.#sql, this.#context, RUNS),
      schedules: new EvaluationList(this.#sql, this.#context, SCHEDULES),
    };
    return this.#tables;
  }

  async announce(kind: JobKind, jobId: string): Promise<void> {
    this.#ensureTables();
    this.#addAnnouncement(kind, jobId);
    await this.#arm();
  }

  #addAnnouncement(kind: JobKind, jobId: string): void {
    const now = Date.now();
    this.#sql.exec(
      'insert or ignore into announced (jobId, kind, announcedAt, lookAt) values (?, ?, ?, ?)',
      ...[jobId, kind, now, now + FIRST_LOOKUP_MS],
    );
  }

  async advanceBatch(batchId: string): Promise<void> {
    this.#ensureTables().batches.add(batchId, Date.now() + FIRST_LOOKUP_MS);
    await this.#arm();
  }

  async advanceEvaluation(runId: string): Promise<void> {
    this.#ensureTables().evaluations.add(runId, Date.now() + FIRST_LOOKUP_MS);
    await this.#arm();
  }

  async scheduleEvaluations(questionSetId: string): Promise<void> {
    this.#ensureTables().schedules.add(questionSetId, Date.now() + FIRST_LOOKUP_MS);
    await this.#arm();
  }

  async take(jobId: string): Promise<string | undefined> {
    return this.#ensureTables().line.take(jobId);
  }

  async ended(jobId: string): Promise<void> {
    this.#ensureTables().room.release(jobId);
    this.#admitNext();
    await this.#arm();
  }

  async waits(jobId: string): Promise<boolean> {
    return this.#ensureTables().waiting.has(jobId);
  }

  async clearLater(leftovers: Leftover[]): Promise<void> {
    this.#leftovers ??= new LeftoverList(this.#sql, this.#context);
    this.#leftovers.add(leftovers);
    await this.#arm();
  }

  /**
   * Deletes the list of the project's jobs after the project was deleted. Scheduled deletions in the bucket
   * are still done.
   */
  async drop(): Promise<void> {
    if (this.#leftovers?.wakeAt() === undefined) return this.#deleteState();
    this.#ensureTables();
    for (const table of ['announced', 'line', 'working', 'batches', 'evaluations', 'evaluation_schedules'])
      this.#sql.exec(`delete from ${table}`);
    await this.#arm();
  }

  async #deleteState(): Promise<void> {
    this.#tables = undefined;
    this.#leftovers = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  protected override async onAlarm(): Promise<void> {
    const now = Date.now();
    // Cloudflare stops retrying an alarm that keeps failing, so the alarm is set again before any work that
    // may throw.
    await this.objectAlarm.setAt(now + MAX_LOOKUP_WAIT_MS);
    this.#ensureTables();
    await this.#freeEndedSlots(now);
    this.#admitNext();
    for (let round = 1; await this.#handOver(now); round++) {
      // If the last round admitted more jobs, the next alarm passes them to their owners immediately.
      if (this.#admitNext() === 0 || round >= ROUNDS_PER_ALARM) break;
    }
    await this.#advanceBatches();
    await this.#tables?.schedules.advance(Date.now());
    await this.#tables?.evaluations.advance(Date.now());
    // Deleting objects from the bucket comes last, so that no job waits for the bucket.
    if (await this.#leftovers?.clearDue(now)) return this.#deleteState();
    if (this.#tables || this.#leftovers) await this.#arm();
  }

  /**
   * Passes due jobs to the Durable Objects that own them. Returns false if this failed. The jobs are then
   * looked up again later.
   */
  async #handOver(now: number): Promise<boolean> {
    // The tables are missing if the project was deleted during the alarm.
    if (!this.#tables) return false;
    const { line, room, waiting } = this.#tables;
    const due = this.#listDue(now);
    const admitted = new Set(due.filter(isAdmitted).map(({ jobId }) => jobId));
    const hasWaiting = !waiting.isEmpty();
    const announced = this.#countAnnounced();
    if (now - this.#burst.since > BURST_MS) this.#burst = { since: now, jobs: 0 };
    const isBusy = room.count() > 0 || announced + this.#burst.jobs > DEFAULT_JOB_LIMIT;
    const handing: HandOverCallbacks = {
      enqueue: (jobId, priority) => line.add(jobId, priority, now),
      admit: (kind, jobId, limit) => {
        const most = limit ?? (isBusy ? DEFAULT_JOB_LIMIT : undefined);
        this.#limit = most ?? MAX_JOBS_PER_ROUND;
        if (most === undefined) {
          this.#burst.jobs += 1;
          return 'unseen';
        }
        // While jobs wait, a newly announced job waits too. Free slots go to jobs from the waiting list.
        if (hasWaiting && !admitted.has(jobId) && !room.has(jobId)) return 'wait';
        return room.admit(kind, jobId, most) ? 'seen' : 'wait';
      },
    };
    const done = await handOver(this.#context, due, handing).catch((error: unknown) => {
      this.#context.log.error('passing jobs to their owners failed', { error: getErrorMessage(error) });
    });
    // The tables are missing because the project was deleted in the meantime.
    if (!this.#tables) return false;
    for (const row of due) {
      const { jobId } = row;
      const priority = done?.waiting.get(jobId);
      // A waiting job was found in the database before, so a missing row means that the job was deleted.
      const isGone = done && (row.waits || now - row.announcedAt > FORGET_AFTER_MS);
      if (priority) waiting.add(jobId, priority, now);
      else if (done?.handedOver.has(jobId) || isGone) this.#removeAnnouncement(row);
      else this.#scheduleLookup(row, now);
    }
    return done !== undefined;
  }

  /**
   * Returns announced jobs that are due. Admitted jobs come first, and waiting jobs that are only checked
   * again come last.
   */
  #listDue(now: number): Row[] {
    return this.#sql
      .exec<Row>(
        `select * from announced where lookAt <= ?
         order by waits and lookAt > 0, lookAt, announcedAt limit ?`,
        ...[now, MAX_JOBS_PER_ROUND],
      )
      .toArray();
  }

  /**
   * Admits waiting jobs into free slots, but at least `least` jobs. The current limit only becomes known when
   * jobs are passed to their owners. Admits none after the project was deleted.
   */
  #admitNext(least = 0): number {
    if (!this.#tables) return 0;
    const { room, waiting } = this.#tables;
    return waiting.admitNext(Math.min(MAX_JOBS_PER_ROUND, Math.max(least, this.#limit - room.count())));
  }

  /**
   * Does one step of a batch. A batch creates further jobs only while few jobs are announced, so that an alarm
   * finds the jobs that were created one by one.
   */
  async #advanceBatches(): Promise<void> {
    await this.#tables?.batches.advance(Date.now(), {
      announce: (kind, jobId) => this.#addAnnouncement(kind, jobId),
      canCreate: this.#countAnnounced() < MAX_JOBS_PER_ROUND,
    });
  }

  #countAnnounced(): number {
    return this.#sql.exec<{ n: number }>('select count(*) as n from announced').one().n;
  }

  /** Frees the slots of jobs that ended without notifying the intake. */
  async #freeEndedSlots(now: number): Promise<void> {
    const { room, waiting } = this.#ensureTables();
    if (now < this.#slotCheckAt || waiting.isEmpty()) return;
    this.#slotCheckAt = now + SLOT_CHECK_MS;
    try {
      for (const jobId of await findEndedJobs(this.#context, room.list())) room.release(jobId);
    } catch (error) {
      this.#context.log.error('checking for jobs that have ended failed', { error: getErrorMessage(error) });
    }
    this.#admitNext(1);
  }

  #removeAnnouncement({ jobId }: Row): void {
    this.#sql.exec('delete from announced where jobId = ?', jobId);
  }

  #scheduleLookup({ jobId, announcedAt }: Row, now: number): void {
    const wait = Math.min(MAX_LOOKUP_WAIT_MS, Math.max(MIN_LOOKUP_WAIT_MS, now - announcedAt));
    this.#sql.exec('update announced set lookAt = ? where jobId = ?', now + wait, jobId);
  }

  async #arm(): Promise<void> {
    const { waiting, batches, evaluations, schedules } = this.#ensureTables();
    const { at } = this.#sql.exec<{ at: number | null }>('select min(lookAt) as at from announced').one();
    const lists = [batches, evaluations, schedules].map((list) => list.wakeAt());
    const times = [at, ...lists, this.#leftovers?.wakeAt()].filter((time) => typeof time === 'number');
    if (!waiting.isEmpty()) times.push(this.#slotCheckAt);
    if (times.length > 0) await this.objectAlarm.setAt(Math.max(Math.min(...times), Date.now()));
    else await this.ctx.storage.deleteAlarm();
  }
}
