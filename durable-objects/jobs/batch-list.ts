import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import {
  advanceBatch,
  type BatchCallbacks,
  type BatchStep,
} from '#src/services/jobs/batches/advance-batch.ts';

/** Wait in milliseconds until the next step, by the result of the last one. */
const WAITS = { absent: 500, wait: 1_000, more: 0, failed: 3_000 } as const;
/**
 * Minimum and maximum wait in milliseconds until a running batch is checked again. The wait is a twentieth of
 * the time since its jobs were created.
 */
const MIN_CHECK_MS = 1_000;
const MAX_CHECK_MS = 60_000;
/** Time in milliseconds after which an announced batch is forgotten if the database has no row of it. */
const FORGET_AFTER_MS = 120_000;

export const BATCHES_TABLE = `create table if not exists batches (
  batchId text primary key, turn integer not null, announcedAt integer not null, wakeAt integer not null)`;

type StepResult = BatchStep | 'failed';

interface Row extends Record<string, SqlStorageValue> {
  batchId: string;
  /** Number of times that the batch was announced. A step that began earlier does not remove the batch. */
  turn: number;
  announcedAt: number;
}

const getCheckWait = (age: number) => Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, age / 20));

/** Batches of a project whose jobs have to be created, cancelled or deleted, or have not ended. */
export class BatchList {
  readonly #sql: SqlStorage;
  readonly #context: Context;

  constructor(sql: SqlStorage, context: Context) {
    this.#sql = sql;
    this.#context = context;
  }

  add(batchId: string, now: number): void {
    this.#sql.exec(
      `insert into batches (batchId, turn, announcedAt, wakeAt) values (?, 1, ?, ?)
       on conflict do update set turn = turn + 1, announcedAt = excluded.announcedAt, wakeAt = excluded.wakeAt`,
      ...[batchId, now, now],
    );
  }

  /** Returns the time of the next step in milliseconds since 1970, or null if no batch is left. */
  wakeAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('select min(wakeAt) as at from batches').one().at;
  }

  /** Does one step of the batch that has waited longest. An error is logged, and the step is repeated later. */
  async advance(now: number, callbacks: BatchCallbacks): Promise<void> {
    const [row] = this.#sql
      .exec<Row>('select * from batches where wakeAt <= ? order by wakeAt, batchId limit 1', now)
      .toArray();
    if (!row) return;
    const { batchId } = row;
    let step: StepResult = 'failed';
    try {
      step = await advanceBatch(this.#context, batchId, callbacks);
    } catch (error) {
      this.#context.log.error('advancing a batch failed', { batchId, error: getErrorMessage(error) });
    }
    this.#record(row, step);
  }

  #record({ batchId, turn, announcedAt }: Row, step: StepResult): void {
    // The project was deleted during the step, and the list with it.
    const tables = this.#sql.exec("select 1 from sqlite_master where name = 'batches'").toArray();
    if (tables.length === 0) return;
    const now = Date.now();
    const isForgotten = step === 'absent' && now - announcedAt > FORGET_AFTER_MS;
    if (step === 'done' || isForgotten) {
      this.#sql.exec('delete from batches where batchId = ? and turn = ?', batchId, turn);
      return;
    }
    const wait = step === 'running' ? getCheckWait(now - announcedAt) : WAITS[step];
    // A batch that was announced again during the step keeps its earlier wake time.
    this.#sql.exec('update batches set wakeAt = ? where batchId = ? and turn = ?', now + wait, batchId, turn);
  }
}
