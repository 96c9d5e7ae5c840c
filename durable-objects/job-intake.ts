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

/** By then the answer to the client is out, so that the job's own work does not slow it down. */
const FIRST_LOOK_MS = 100;
/** A job that is not recorded yet is looked for again after that, doubled each time up to the longest. */
const SECOND_LOOK_MS = 500;
const LONGEST_LOOK_MS = 20_000;
/** No request takes so long to record its job: it has been refused or broken off. */
const FORGET_AFTER_MS = 120_000;
/** Jobs handed over at once. */
const ROUND = 100;
/**
 * Jobs that a project without a limit has in the queues at once, when it sends more than those in a minute. Half of what
 * the consumers of a queue have in work together (wrangler.toml), so that another project's jobs find some that are free.
 */
const WINDOW = 40;
const BURST_MS = 60_000;
/** How often is looked whether jobs have ended that have not said so, while others wait for their places. */
const WAIT_LOOK_MS = 5_000;
/** How often one alarm lets further jobs in, where those that it had let in turned out to be over. */
const ROUNDS_PER_ALARM = 10;

interface Row extends Record<string, SqlStorageValue> {
  jobId: string;
  kind: JobKind;
  announcedAt: number;
  lookAt: number;
  /** It has been looked at, and waits until others have ended. */
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
 * Jobs of one project between their announcement and their owner. A create announces its job here before it is
 * recorded in the database, and answers as soon as it is; a moment later the alarm hands recorded jobs to their
 * owners. The process may die at any point in between: the announcement outlives it. It also says whose turn it is
 * among the jobs that wait for a worker, and lets no more of them be done at once than the project may have. As the one
 * object that each project has it also looks after what was deleted.
 */
export class JobIntake extends TracedObject<Bindings> implements Intake, LeftoverOwner {
  readonly #sql: SqlStorage;
  readonly #context: Context;
  /** There once the tables are. */
  #tables: { line: JobLine; room: JobRoom; waiting: WaitingJobs } | undefined;
  #leftovers: LeftoverList | undefined;
  /** When is looked next after those that have their places for long. */
  #waitLookAt = 0;
  /** How many jobs there may be in work, as it was found last; not known yet, one is tried. */
  #most = 1;
  /** Jobs that were handed over of late without a place. */
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

  /** The project’s jobs are gone. What its deletions may leave behind is still looked after. */
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
    // The platform gives an alarm that fails up after a while.
    await this.objectAlarm.setAt(now + LONGEST_LOOK_MS);
    this.#make();
    await this.#lookAfterWaiting(now);
    this.#letIn();
    for (let round = 1; await this.#handOver(now); round++) {
      // What is let in after the last round is handed over by the next alarm, which comes at once.
      if (this.#letIn() === 0 || round >= ROUNDS_PER_ALARM) break;
    }
    // After the jobs, which are not to wait for the bucket.
    if (await this.#leftovers?.clearDue(now)) return this.#vanish();
    if (this.#tables || this.#leftovers) await this.#arm();
  }

  /** False: it has failed, and the jobs are looked at again in a while. */
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
        // A free place belongs to those that wait already.
        if (someWait && !letIn.has(jobId) && !room.has(jobId)) return 'wait';
        return room.admit(kind, jobId, most) ? 'seen' : 'wait';
      },
    };
    const done = await handOver(this.#context, due, handing).catch((error: unknown) => {
      this.#context.log.error('handing jobs over failed', { error: messageOf(error) });
    });
    // All was dropped in the meantime.
    if (!this.#tables) return false;
    for (const row of due) {
      const { jobId } = row;
      const priority = done?.waiting.get(jobId);
      // One that waits had been recorded: when it is not there it has been deleted.
      const isGone = done && (row.waits || now - row.announcedAt > FORGET_AFTER_MS);
      if (priority) waiting.add(jobId, priority, now);
      else if (done?.over.has(jobId) || isGone) this.#forget(row);
      else this.#lookAgain(row, now);
    }
    return done !== undefined;
  }

  /** Those that were let in first, and last of all those that wait and have not been looked at for long. */
  #due(now: number): Row[] {
    return this.#sql
      .exec<Row>(
        `select * from announced where lookAt <= ?
         order by waits and lookAt > 0, lookAt, announcedAt limit ?`,
        ...[now, ROUND],
      )
      .toArray();
  }

  /** As many as there are free places. `least`: so many in any case, which finds out what the limit is now. */
  #letIn(least = 0): number {
    const { room, waiting } = this.#make();
    return waiting.letIn(Math.min(ROUND, Math.max(least, this.#most - room.size())));
  }

  /** A place whose job has ended without a word is free again. */
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
