import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { clearLeftovers } from '#src/services/files/leftovers.ts';
import { deleteUnwantedDeadLetters } from '#src/services/operating/dead-letters.ts';
import type { Leftover } from '#src/work/leftovers.ts';

/** Time in milliseconds before a failed deletion in the bucket is tried again. */
const RETRY_MS = 5 * 60_000;
/** Maximum number of bucket prefixes whose objects are deleted in one alarm. */
const MAX_PREFIXES_PER_ALARM = 20;

interface Row extends Record<string, SqlStorageValue> {
  prefix: string;
  at: number;
}

/**
 * Bucket prefixes whose objects have to be deleted a second time. Work that was running during the first
 * deletion may have written new objects.
 */
export class LeftoverList {
  readonly #sql: SqlStorage;
  readonly #context: Context;

  /** Returns true if the list has a table. A project without deletions has none. */
  static hasTable(sql: SqlStorage): boolean {
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
      for (const time of at) this.#sql.exec('insert or ignore into leftovers values (?, ?)', prefix, time);
    }
  }

  wakeAt(): number | undefined {
    const [next] = this.#sql.exec<{ at: number | null }>('select min(at) as at from leftovers');
    return next?.at ?? undefined;
  }

  /**
   * Deletes the objects below all prefixes that are due. Returns true if the project no longer exists and no
   * prefixes are left.
   */
  async clearDue(now: number): Promise<boolean> {
    const due = this.#sql
      .exec<Row>('select * from leftovers where at <= ? order by at limit ?', now, MAX_PREFIXES_PER_ALARM)
      .toArray();
    let isGone = false;
    for (const { prefix, at } of due) {
      try {
        isGone = await clearLeftovers(this.#context, parseProjectId(prefix), prefix);
        if (isGone) await deleteUnwantedDeadLetters(this.#context);
      } catch (error) {
        this.#context.log.warn('clearing leftovers failed and will be retried', {
          prefix,
          error: getErrorMessage(error),
        });
        this.add([{ prefix, at: [now + RETRY_MS] }]);
      }
      this.#sql.exec('delete from leftovers where prefix = ? and at = ?', prefix, at);
    }
    return isGone && this.wakeAt() === undefined;
  }
}

const parseProjectId = (prefix: string): string => prefix.split('/')[1] ?? '';
