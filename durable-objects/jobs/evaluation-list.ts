import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { advanceRun } from '#src/services/evaluations/advance-run.ts';

/** Wait in milliseconds until a run without a row is looked up again. */
const ABSENT_MS = 500;
/** Wait in milliseconds after a failed step. */
const FAILURE_MS = 10_000;
/** Time in milliseconds after which an announced run is forgotten if the database has no row of it. */
const FORGET_AFTER_MS = 120_000;

export const EVALUATIONS_TABLE = `create table if not exists evaluations (
  runId text primary key, turn integer not null, announcedAt integer not null, wakeAt integer not null)`;

interface Row extends Record<string, SqlStorageValue> {
  runId: string;
  /** Number of times that the run was announced. A step that began earlier does not remove the run. */
  turn: number;
  announcedAt: number;
}

/**
 * Evaluation runs of a project that have not ended. Consumers evaluate questions and send the next message
 * themselves. This list sends a message again if it was lost, or if its consumer stopped.
 */
export class EvaluationList {
  readonly #sql: SqlStorage;
  readonly #context: Context;

  constructor(sql: SqlStorage, context: Context) {
    this.#sql = sql;
    this.#context = context;
  }

  add(runId: string, now: number): void {
    this.#sql.exec(
      `insert into evaluations (runId, turn, announcedAt, wakeAt) values (?, 1, ?, ?)
       on conflict do update set turn = turn + 1, announcedAt = excluded.announcedAt, wakeAt = excluded.wakeAt`,
      ...[runId, now, now],
    );
  }

  /** Returns the time of the next step in milliseconds since 1970, or null if no run is left. */
  wakeAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('select min(wakeAt) as at from evaluations').one().at;
  }

  /** Does one step of the run that has waited longest. An error is logged, and the step is repeated later. */
  async advance(now: number): Promise<void> {
    const [row] = this.#sql
      .exec<Row>('select * from evaluations where wakeAt <= ? order by wakeAt, runId limit 1', now)
      .toArray();
    if (!row) return;
    const { runId, turn, announcedAt } = row;
    const step = await advanceRun(this.#context, runId).catch((error: unknown) => {
      this.#context.log.error('advancing an evaluation failed', { runId, error: getErrorMessage(error) });
      return { state: 'failed' as const };
    });
    if (!this.#hasTable()) return;
    const isForgotten = step.state === 'absent' && now - announcedAt > FORGET_AFTER_MS;
    if (step.state === 'ended' || isForgotten) {
      this.#sql.exec('delete from evaluations where runId = ? and turn = ?', runId, turn);
      return;
    }
    const waits = { absent: ABSENT_MS, failed: FAILURE_MS };
    const wakeAt = step.state === 'running' ? step.checkAt : Date.now() + waits[step.state];
    this.#sql.exec('update evaluations set wakeAt = ? where runId = ? and turn = ?', wakeAt, runId, turn);
  }

  /** Returns false if the project was deleted during a step. Its tables must not be created again. */
  #hasTable(): boolean {
    return this.#sql.exec("select 1 from sqlite_master where name = 'evaluations'").toArray().length > 0;
  }
}
