import { type Context, createContext } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import { endedAmong, type HandingOver, handOver } from '#src/services/jobs/hand-over.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { Intake, JobKind } from '#src/work/job-owner.ts';
import type { Leftover, LeftoverOwner } from '#src/work/leftovers.ts';
import { JobLine, LINE_TABLE } from './jobs/job-line.ts';
import { JobRoom, WORKING_TABLE } from './jobs/job-room.ts';
import { LeftoverList } from './jobs/leftover-list.ts';
import { isLetIn, WaitingJobs } from './jobs/waiting-jobs.ts';
import { addColumn, type Upgrade, upgradeStorage } from './storage-upgrades.ts';
import { TracedObject } from './traced-object.ts';

/**
 * Milliseconds before the first lookup of a job's row, so that this work does not delay the response to the
 * client.
 */
const FIRST_LOOK_MS = 100;
/** Wait in milliseconds before a missing row is looked up again. The wait doubles up to `LONGEST_LOOK_MS`. */
const SECOND_LOOK_MS = 500;
const LONGEST_LOOK_MS = 20_000;
/** Milliseconds after which an announced job without a row counts as rejected. */
const FORGET_AFTER_MS = 120_000;
/** Maximum number of jobs handed over at once. */
const ROUND = 100;
/**
 * Maximum number of queued jobs of a project without a limit of its own, once it sends more than this within
 * a minute. Half of the consumers' capacity (wrangler.toml), so other projects find free consumers.
 */
const WINDOW = 40;
const BURST_MS = 60_000;
/**
 * Interval in milliseconds at which the intake looks for jobs that ended without notice while others wait.
 */
const WAIT_LOOK_MS = 5_000;
/** Maximum number of rounds per alarm. Another round admits jobs into slots that turned out to be free. */
const ROUNDS_PER_ALARM = 10;

interface Row extends Record<string, SqlStorageValue> {
  jobId: string;
  kind: JobKind;
  announcedAt: number;
  lookAt: number;
  /** Whether the job was examined and waits for a free slot (1) or not (0). */
  waits: number;
}

const ANNOUNCED_TABLE = `create table if not exists announced (
  jobId text primary key, kind text not null, announcedAt integer not null, lookAt integer not null)`;

function rankAnnounced(sql: SqlStorage): void {
  for (const column of ['waits', 'rank']) addColumn(sql, 'announced', column, 'integer not null default 0');
}

export const INTAKE_UPGRADES: readonly Upgrade[] = [
  { changes: [ANNOUNCED_TABLE, LINE_TABLE] },
  { changes: [rankAnnounced, WORKING_TABLE] },
];

/**
 * Manages a project's jobs until their owners take over. A request announces its job here, inserts the row
 * and then responds. An alarm passes recorded jobs to their owners. Announcements are stored, so a crash
 * loses no job.
 * The intake also orders waiting jobs by priority, enforces the project's limit of concurrent jobs, and
 * clears leftovers of deletions.
 */
export class JobIntake extends TracedObject<Bindings> implements Intake, LeftoverOwner {
  readonly #sql: SqlStorage;
  readonly #context: Context;
  /** Tables of the intake. Set once they exist. */
  #tables: { line: JobLine; room: JobRoom; waiting: WaitingJobs } | undefined;
  #leftovers: LeftoverList | undefined;
  /** Time of the next check of jobs that have held a slot for long. */
  #waitLookAt = 0;
  /** Last known limit of concurrent jobs. Starts at 1. */
  #most = 1;
  #burst = { since: 0, jobs: 0 };

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#context = createContext(env, state, { object: 'job-intake' });
    if (LeftoverList.isMade(this.#sql)) this.#leftovers = new LeftoverList(this.#sql, this.#context);
  }

  #make() {
    if (this.#tables) return this.#tables;
    upgradeStorage(this.ctx.storage, INTAKE_UPGRADES);
    this.#tables = {
      line: new JobLine(this.#sql),
      room: new JobRoom(this.#sql),
      waiting: new WaitingJobs(this.#sql),
    };
    return this.#tables;
  }

  async announce(kind: JobKind, jobId: string): Promise<void> {
    const now = Date.now();
    this.#make();
    this.#sql.exec(
      'insert or ignore into announced (jobId, kind, announcedAt, lookAt) values (?, ?, ?, ?)',
      ...[jobId, kind, now, now + FIRST_LOOK_MS],
    );
    await this.#arm();
  }

  async take(jobId: string): Promise<string | undefined> {
    return this.#make().line.take(jobId);
  }

  async ended(jobId: string): Promise<void> {
    this.#make().room.leave(jobId);
    this.#letIn();
    await this.#arm();
  }

  async waits(jobId: string): Promise<boolean> {
    return this.#make().waiting.has(jobId);
  }

  async clearLater(leftovers: Leftover[]): Promise<void> {
    this.#leftovers ??= new LeftoverList(this.#sql, this.#context);
    this.#leftovers.add(leftovers);
    await this.#arm();
  }

  /**
   * Forgets the project's jobs, because the project was deleted. Bucket objects that its deletions may leave
   * behind are still cleared.
   */
  async drop(): Promise<void> {
    if (this.#leftovers?.wakeAt() === undefined) return this.#vanish();
    this.#make();
    for (const table of ['announced', 'line', 'working']) this.#sql.exec(`delete from ${table}`);
    await this.#arm();
  }

  async #vanish(): Promise<void> {
    this.#tables = undefined;
    this.#leftovers = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  protected override async woken(): Promise<void> {
    const now = Date.now();
    // Cloudflare stops retrying an alarm that keeps failing, so it is set again before anything may throw.
    await this.objectAlarm.setAt(now + LONGEST_LOOK_MS);
    this.#make();
    await this.#lookAfterWaiting(now);
    this.#letIn();
    for (let round = 1; await this.#handOver(now); round++) {
      // Jobs admitted after the last round are handed over by the next alarm, which follows at once.
      if (this.#letIn() === 0 || round >= ROUNDS_PER_ALARM) break;
    }
    // Leftovers come last, because jobs should not wait for the bucket.
    if (await this.#leftovers?.clearDue(now)) return this.#vanish();
    if (this.#tables || this.#leftovers) await this.#arm();
  }

  /** Returns false if the hand-over failed and is repeated later. */
  async #handOver(now: number): Promise<boolean> {
    const { line, room, waiting } = this.#make();
    const due = this.#due(now);
    const letIn = new Set(due.filter(isLetIn).map(({ jobId }) => jobId));
    const someWait = !waiting.isEmpty();
    const announced = this.#sql.exec<{ n: number }>('select count(*) as n from announced').one().n;
    if (now - this.#burst.since > BURST_MS) this.#burst = { since: now, jobs: 0 };
    const isMuch = room.size() > 0 || announced + this.#burst.jobs > WINDOW;
    const handing: HandingOver = {
      queueUp: (jobId, priority) => line.add(jobId, priority, now),
      admit: (kind, jobId, limit) => {
        const most = limit ?? (isMuch ? WINDOW : undefined);
        this.#most = most ?? ROUND;
        if (most === undefined) {
          this.#burst.jobs += 1;
          return 'unseen';
        }
        // Free slots belong to jobs that are already waiting.
        if (someWait && !letIn.has(jobId) && !room.has(jobId)) return 'wait';
        return room.admit(kind, jobId, most) ? 'seen' : 'wait';
      },
    };
    const done = await handOver(this.#context, due, handing).catch((error: unknown) => {
      this.#context.log.error('handing jobs over failed', { error: messageOf(error) });
    });
    // The project was deleted during the hand-over.
    if (!this.#tables) return false;
    for (const row of due) {
      const { jobId } = row;
      const priority = done?.waiting.get(jobId);
      // A waiting job was recorded before, so a missing row means that it was deleted.
      const isGone = done && (row.waits || now - row.announcedAt > FORGET_AFTER_MS);
      if (priority) waiting.add(jobId, priority, now);
      else if (done?.over.has(jobId) || isGone) this.#forget(row);
      else this.#lookAgain(row, now);
    }
    return done !== undefined;
  }

  /**
   * Returns due jobs. Admitted jobs come first, waiting jobs that have not been examined for a while come
   * last.
   */
  #due(now: number): Row[] {
    return this.#sql
      .exec<Row>(
        `select * from announced where lookAt <= ?
         order by waits and lookAt > 0, lookAt, announcedAt limit ?`,
        ...[now, ROUND],
      )
      .toArray();
  }

  /**
   * Admits waiting jobs into free slots. Admits at least `least` jobs, because only a hand-over reveals the
   * current limit.
   */
  #letIn(least = 0): number {
    const { room, waiting } = this.#make();
    return waiting.letIn(Math.min(ROUND, Math.max(least, this.#most - room.size())));
  }

  /** Frees the slots of jobs that ended without notice. */
  async #lookAfterWaiting(now: number): Promise<void> {
    const { room, waiting } = this.#make();
    if (now < this.#waitLookAt || waiting.isEmpty()) return;
    this.#waitLookAt = now + WAIT_LOOK_MS;
    try {
      for (const jobId of await endedAmong(this.#context, room.all())) room.leave(jobId);
    } catch (error) {
      this.#context.log.error('looking for jobs that have ended failed', { error: messageOf(error) });
    }
    if (this.#tables) this.#letIn(1);
  }

  #forget({ jobId }: Row): void {
    this.#sql.exec('delete from announced where jobId = ?', jobId);
  }

  #lookAgain({ jobId, announcedAt }: Row, now: number): void {
    const wait = Math.min(LONGEST_LOOK_MS, Math.max(SECOND_LOOK_MS, now - announcedAt));
    this.#sql.exec('update announced set lookAt = ? where jobId = ?', now + wait, jobId);
  }

  async #arm(): Promise<void> {
    const { waiting } = this.#make();
    const { at } = this.#sql.exec<{ at: number | null }>('select min(lookAt) as at from announced').one();
    const times = [at, this.#leftovers?.wakeAt()].filter((time) => typeof time === 'number');
    if (!waiting.isEmpty()) times.push(this.#waitLookAt);
    if (times.length > 0) await this.objectAlarm.setAt(Math.max(Math.min(...times), Date.now()));
    else await this.ctx.storage.deleteAlarm();
  }
}
