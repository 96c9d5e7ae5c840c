import { type Context, createContext } from '#src/context.ts';
import type { Bindings } from '#src/env.ts';
import { messageOf } from '#src/errors.ts';
import { handOver, type QueueUp } from '#src/services/jobs/hand-over.ts';
import type { Intake, JobKind } from '#src/work/job-owner.ts';
import type { Leftover, LeftoverOwner } from '#src/work/leftovers.ts';
import { JobLine } from './job-line.ts';
import { LeftoverList } from './leftover-list.ts';
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

interface Row extends Record<string, SqlStorageValue> {
  jobId: string;
  kind: JobKind;
  announcedAt: number;
  lookAt: number;
}

/**
 * Jobs of one project between their announcement and their owner. A create announces its job here before it is
 * recorded in the database, and answers as soon as it is; a moment later the alarm hands recorded jobs to their
 * owners. The process may die at any point in between: the announcement outlives it. It also says whose turn it is
 * among the jobs that wait for a worker. As the one object that each project has it also looks after what was deleted.
 */
export class JobIntake extends TracedObject<Bindings> implements Intake, LeftoverOwner {
  readonly #sql: SqlStorage;
  readonly #context: Context;
  /** There once the tables are. */
  #line: JobLine | undefined;
  #leftovers: LeftoverList | undefined;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#context = createContext(env, state, { object: 'job-intake' });
    if (LeftoverList.isMade(this.#sql)) this.#leftovers = new LeftoverList(this.#sql, this.#context);
  }

  #make(): JobLine {
    if (this.#line) return this.#line;
    this.#sql.exec(`create table if not exists announced (
      jobId text primary key, kind text not null, announcedAt integer not null, lookAt integer not null)`);
    this.#line = new JobLine(this.#sql);
    return this.#line;
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
    return this.#make().take(jobId);
  }

  async clearLater(leftovers: Leftover[]): Promise<void> {
    this.#leftovers ??= new LeftoverList(this.#sql, this.#context);
    this.#leftovers.add(leftovers);
    await this.#arm();
  }

  /** The project is gone, and its jobs with it. */
  async drop(): Promise<void> {
    this.#line = undefined;
    this.#leftovers = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  protected override async woken(): Promise<void> {
    const now = Date.now();
    if (await this.#leftovers?.clearDue(now)) return this.drop();
    await this.#handOver(now);
    await this.#arm();
  }

  async #handOver(now: number): Promise<void> {
    const line = this.#make();
    const due = this.#sql
      .exec<Row>('select * from announced where lookAt <= ? order by lookAt limit ?', now, ROUND)
      .toArray();
    const queue: QueueUp = (jobId, priority) => line.add(jobId, priority, now);
    const done = await handOver(this.#context, due, queue).catch((error: unknown) => {
      this.#context.log.error('handing jobs over failed', { error: messageOf(error) });
    });
    for (const row of due) {
      if (done?.has(row.jobId) || (done && now - row.announcedAt > FORGET_AFTER_MS)) this.#forget(row);
      else this.#lookAgain(row, now);
    }
  }

  #forget({ jobId }: Row): void {
    this.#sql.exec('delete from announced where jobId = ?', jobId);
  }

  #lookAgain({ jobId, announcedAt }: Row, now: number): void {
    const wait = Math.min(LONGEST_LOOK_MS, Math.max(SECOND_LOOK_MS, now - announcedAt));
    this.#sql.exec('update announced set lookAt = ? where jobId = ?', now + wait, jobId);
  }

  async #arm(): Promise<void> {
    this.#make();
    const [next] = this.#sql.exec<{ at: number | null }>('select min(lookAt) as at from announced');
    const times = [next?.at, this.#leftovers?.wakeAt()].filter((time) => typeof time === 'number');
    if (times.length > 0) await this.ctx.storage.setAlarm(Math.max(Math.min(...times), Date.now()));
  }
}
