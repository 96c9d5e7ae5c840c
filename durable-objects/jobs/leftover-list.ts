import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import { clearLeftovers } from '#src/services/files/leftovers.ts';
import { forgetUnwanted } from '#src/services/operating/dead-letters.ts';
import type { Leftover } from '#src/work/leftovers.ts';

/** Milliseconds before a failed clean-up is tried again. */
const AGAIN_MS = 5 * 60_000;
/** Maximum number of prefixes cleared per alarm. */
const ROUND = 20;

interface Row extends Record<string, SqlStorageValue> {
  prefix: string;
  at: number;
}

/**
 * Bucket prefixes of a project that are cleared again after a deletion, because running work may still have
 * written there.
 */
export class LeftoverList {
  readonly #sql: SqlStorage;
  readonly #context: Context;

  /** Returns whether the table exists. A project without deletions stores nothing. */
  static isMade(sql: SqlStorage): boolean {
    return sql.exec("select 1 from sqlite_master where name = 'leftovers'").toArray().length > 0;
  }

  constructor(sql: SqlStorage, context: Context) {
    this.#sql = sql;
    this.#context = context;
    this.#sql.exec(`create table if not exists leftovers (
      prefix text not null, at integer not null, primary key (prefix, at)) without rowid`);
  }

  add(leftovers: readonly Leftover[]): void {
    for (const { prefix, at } of leftovers) {
      for (const moment of at)
        this.#sql.exec('insert or ignore into leftovers values (?, ?)', prefix, moment);
    }
  }

  wakeAt(): number | undefined {
    const [next] = this.#sql.exec<{ at: number | null }>('select min(at) as at from leftovers');
    return next?.at ?? undefined;
  }

  /** Clears due prefixes. Returns true if the project is gone and nothing is left. */
  async clearDue(now: number): Promise<boolean> {
    const due = this.#sql
      .exec<Row>('select * from leftovers where at <= ? order by at limit ?', now, ROUND)
      .toArray();
    let isGone = false;
    for (const { prefix, at } of due) {
      try {
        isGone = await clearLeftovers(this.#context, projectOf(prefix), prefix);
        if (isGone) await forgetUnwanted(this.#context);
      } catch (error) {
        this.#context.log.warn('leftovers are cleared later', { prefix, error: messageOf(error) });
        this.add([{ prefix, at: [now + AGAIN_MS] }]);
      }
      this.#sql.exec('delete from leftovers where prefix = ? and at = ?', prefix, at);
    }
    return isGone && this.wakeAt() === undefined;
  }
}

const projectOf = (prefix: string): string => prefix.split('/')[1] ?? '';
