import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { advanceRun, type RunStep } from '#src/services/evaluations/advance-run.ts';
import { advanceSchedule } from '#src/services/evaluations/schedules/start-scheduled-run.ts';

/** Wait in milliseconds until an item without a row is looked up again. */
const ABSENT_MS = 500;
/** Wait in milliseconds after a failed step. */
const FAILURE_MS = 10_000;
/** Time in milliseconds after which an announced item is forgotten if the database has no row of it. */
const FORGET_AFTER_MS = 120_000;

export const EVALUATIONS_TABLE = `create table if not exists evaluations (
  runId text primary key, turn integer not null, announcedAt integer not null, wakeAt integer not null)`;
export const SCHEDULES_TABLE = `create table if not exists evaluation_schedules (
  questionSetId text primary key, turn integer not null, announcedAt integer not null, wakeAt integer not null)`;

interface Row extends Record<string, SqlStorageValue> {
  id: string;
  /** Number of times that the item was announced. A step that began earlier does not remove the item. */
  turn: number;
  announcedAt: number;
}

/** Table of a list, the column with the ids of its items, and the step that continues an item. */
interface Kind {
  table: 'evaluations' | 'evaluation_schedules';
  key: 'runId' | 'questionSetId';
  step(context: Context, id: string): Promise<RunStep>;
}

/**
 * Evaluation runs of a project that have not ended. Consumers evaluate questions and send the next message
 * themselves. This list sends a message again if it was lost, or if its consumer stopped.
 */
export const RUNS: Kind = { table: 'evaluations', key: 'runId', step: advanceRun };

/** Question sets of a project that are evaluated by a schedule. The list starts the runs. */
export const SCHEDULES: Kind = {
  table: 'evaluation_schedules',
  key: 'questionSetId',
  step: advanceSchedule,
};

/** List of items that are continued step by step, each at its own time. */
export class EvaluationList {
  readonly #sql: SqlStorage;
  readonly #context: Context;
  readonly #kind: Kind;

  constructor(sql: SqlStorage, context: Context, kind: Kind) {
    this.#sql = sql;
    this.#context = context;
    this.#kind = kind;
  }

  add(id: string, now: number): void {
    const { table, key } = this.#kind;
    this.#sql.exec(
      `insert into ${table} (${key}, turn, announcedAt, wakeAt) values (?, 1, ?, ?)
       on conflict do update set turn = turn + 1, announcedAt = excluded.announcedAt, wakeAt = excluded.wakeAt`,
      ...[id, now, now],
    );
  }

  /** Returns the time of the next step in milliseconds since 1970, or null if the list is empty. */
  wakeAt(): number | null {
    return this.#sql.exec<{ at: number | null }>(`select min(wakeAt) as at from ${this.#kind.table}`).one()
      .at;
  }

  /** Does one step of the item that has waited longest. An error is logged, and the step is repeated later. */
  async advance(now: number): Promise<void> {
    const { table, key } = this.#kind;
    const [row] = this.#sql
      .exec<Row>(
        `select ${key} as id, turn, announcedAt from ${table} where wakeAt <= ? order by wakeAt, ${key} limit 1`,
        now,
      )
      .toArray();
    if (!row) return;
    const { id, turn, announcedAt } = row;
    const step = await this.#kind.step(this.#context, id).catch((error: unknown) => {
      this.#context.log.error('advancing an evaluation failed', { [key]: id, error: getErrorMessage(error) });
      return { state: 'failed' as const };
    });
    if (!this.#hasTable()) return;
    const isForgotten = step.state === 'absent' && now - announcedAt > FORGET_AFTER_MS;
    if (step.state === 'ended' || isForgotten) {
      this.#sql.exec(`delete from ${table} where ${key} = ? and turn = ?`, id, turn);
      return;
    }
    const waits = { absent: ABSENT_MS, failed: FAILURE_MS };
    const wakeAt = step.state === 'running' ? step.checkAt : Date.now() + waits[step.state];
    this.#sql.exec(`update ${table} set wakeAt = ? where ${key} = ? and turn = ?`, wakeAt, id, turn);
  }

  /** Returns false if the project was deleted during a step. Its tables must not be created again. */
  #hasTable(): boolean {
    return (
      this.#sql.exec('select 1 from sqlite_master where name = ?', this.#kind.table).toArray().length > 0
    );
  }
}
