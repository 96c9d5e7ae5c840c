import type { Context } from '#src/context/context.ts';
import { backoff } from '#src/lib/async/backoff.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import {
  advanceBatch,
  type BatchCallbacks,
  type BatchStep,
  failWaitingItems,
} from '#src/services/jobs/batches/advance-batch.ts';

/** Wait in milliseconds until the next step, by the result of the last one. */
const WAITS = { absent: 500, wait: 10_000, more: 0 } as const;
/** Wait in seconds after failed steps. It grows from 3 seconds to 5 minutes. */
const FAILURE_WAITS = { first: 3, longest: 300, jitter: 0 };
/**
 * Number of failed steps in a row after which the waiting files of a batch are marked as failed. The steps
 * take more than an hour.
 */
export const MAX_FAILURES = 20;
/**
 * Minimum and maximum wait in milliseconds until a running batch is checked again. The wait is a twentieth of
 * the time since its jobs were created.
 */
const MIN_CHECK_MS = 1_000;
const MAX_CHECK_MS = 60_000;
/** Time in milliseconds after which an announced batch is forgotten if the database has no row of it. */
const FORGET_AFTER_MS = 120_000;

export const BATCHES_TABLE = `create table if not exists batches (
  batchId text primary key, turn integer not null, announcedAt integer not null, wakeAt integer not null,
  failures integer not null default 0, isBlocked integer not null default 0)`;

interface Row extends Record<string, SqlStorageValue> {
  batchId: string;
  /** Number of times that the batch was announced. A step that began earlier does not remove the batch. */
  turn: number;
  announcedAt: number;
  /** Number of failed steps in a row. */
  failures: number;
  /** 1 if the last step could not create jobs, because the intake had too many. Otherwise 0. */
  isBlocked: number;
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
       on conflict do update set turn = turn + 1, announcedAt = excluded.announcedAt,
         wakeAt = excluded.wakeAt, failures = 0, isBlocked = 0`,
      ...[batchId, now, now],
    );
  }

  /** Returns the time of the next step in milliseconds since 1970, or null if no batch is left. */
  wakeAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('select min(wakeAt) as at from batches').one().at;
  }

  /**
   * Does one step of the batch that has waited longest. Blocked batches continue as soon as jobs can be
   * created. An error is logged, and the step is repeated later.
   */
  async advance(now: number, callbacks: BatchCallbacks): Promise<void> {
    const [row] = this.#sql
      .exec<Row>(
        'select * from batches where wakeAt <= ? or (isBlocked and ?) order by wakeAt, batchId limit 1',
        ...[now, Number(callbacks.canCreate)],
      )
      .toArray();
    if (!row) return;
    let step: BatchStep;
    try {
      step = await advanceBatch(this.#context, row.batchId, callbacks);
    } catch (error) {
      await this.#recordFailure(row, error);
      return;
    }
    if (this.#hasTable()) this.#record(row, step);
  }

  /** Returns false if the project was deleted during a step. Its tables must not be created again. */
  #hasTable(): boolean {
    return this.#sql.exec("select 1 from sqlite_master where name = 'batches'").toArray().length > 0;
  }

  #record(row: Row, step: BatchStep): void {
    const { batchId, turn, announcedAt } = row;
    const now = Date.now();
    const isForgotten = step === 'absent' && now - announcedAt > FORGET_AFTER_MS;
    if (step === 'done' || isForgotten) {
      this.#sql.exec('delete from batches where batchId = ? and turn = ?', batchId, turn);
      return;
    }
    this.#schedule(row, { wakeAt: now + (step === 'running' ? getCheckWait(now - announcedAt) : WAITS[step]), failures: 0, isBlocked: Number(step === 'wait') });
  }

  async #recordFailure(row: Row, error: unknown): Promise<void> {
    if (!this.#hasTable()) return;
    const { batchId } = row;
    const failures = row.failures + 1;
    this.#context.log.error('advancing a batch failed', { batchId, failures, error: getErrorMessage(error) });
    this.#schedule(row, {
      wakeAt: Date.now() + 1000 * backoff(FAILURE_WAITS, failures),
      failures,
      isBlocked: 0,
    });
    if (failures < MAX_FAILURES) return;
    await failWaitingItems(this.#context, batchId, error).catch((failure: unknown) => {
      this.#context.log.error('marking the files of a batch as failed has failed', {
        batchId,
        error: getErrorMessage(failure),
      });
    });
  }

  /** A batch that was announced again during the step keeps its earlier wake time. */
  #schedule({ batchId, turn }: Row, next: { wakeAt: number; failures: number; isBlocked: number }): void {
    this.#sql.exec(
      'update batches set wakeAt = ?, failures = ?, isBlocked = ? where batchId = ? and turn = ?',
      ...[Math.ceil(next.wakeAt), next.failures, next.isBlocked, batchId, turn],
    );
  }
}
