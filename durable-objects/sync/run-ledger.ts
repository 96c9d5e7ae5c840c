import type { Run } from '#src/work/sync-owner.ts';
import { upgradeStorage } from '../storage-upgrades.ts';
import { ItemLedger } from './item-ledger.ts';
import { SYNC_UPGRADES } from './pipeline-sync.schema.ts';

/** Stores the current sync run and its items in the SQLite database of the Durable Object. */
export class RunLedger extends ItemLedger {
  readonly #storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    super(storage.sql);
    this.#storage = storage;
    this.create();
  }

  /** Creates the tables. Also called after the Durable Object has deleted its storage. */
  create(): void {
    upgradeStorage(this.#storage, SYNC_UPGRADES);
  }

  current(): Run | null {
    const row = this.sql.exec('select * from run order by generation desc limit 1').toArray()[0];
    return row ? toRun(row) : null;
  }

  /**
   * Replaces the current sync run by a new one with a higher generation. For a restored pipeline, `follows`
   * is the last generation that its former Durable Object assigned.
   */
  open(run: Pick<Run, 'pipelineId' | 'jobId' | 'reason' | 'scope'>, now: number, follows = 0): Run {
    const generation = Math.max(this.current()?.generation ?? 0, follows) + 1;
    this.sql.exec('delete from item');
    // The history of runs is in D1. The object stores only the current run.
    this.sql.exec('delete from run');
    this.sql.exec(
      `insert into run (generation, pipelineId, jobId, reason, state, scope, sourcesRead, startedAt,
         planSentAt, progressAt) values (?, ?, ?, ?, 'planning', ?, ?, ?, ?, ?)`,
      generation,
      run.pipelineId,
      run.jobId,
      run.reason,
      JSON.stringify(run.scope),
      run.scope.sources.length === 0 ? 1 : 0,
      now,
      now,
      now,
    );
    return this.current()!;
  }

  setRun(changes: Partial<Omit<Run, 'generation'>>): void {
    const entries = Object.entries(changes).map(([name, value]) => {
      const stored = typeof value === 'boolean' ? Number(value) : value;
      const isObject = typeof value === 'object' && value !== null;
      return [name, isObject ? JSON.stringify(value) : stored] as [string, SqlStorageValue];
    });
    const assignments = entries.map(([name]) => `${name} = ?`).join(', ');
    this.sql.exec(`update run set ${assignments}`, ...entries.map(([, value]) => value));
  }

  addCounters(counters: Record<string, number>): void {
    const sum = { ...this.current()?.counters };
    for (const [name, value] of Object.entries(counters)) sum[name] = (sum[name] ?? 0) + value;
    this.setRun({ counters: sum });
  }

  /** Records that the items and the run made progress. */
  recordProgress(itemIds: string[], now: number): void {
    this.updateItems('progressAt = ?', itemIds, now);
    this.setRun({ progressAt: now });
  }
}

/**
 * Converts a row to a sync run. Column names equal the property names of `Run`, so only JSON texts and booleans are
 * converted. The cast is needed because SQLite's rows have no static types.
 */
function toRun(row: Record<string, SqlStorageValue>): Run {
  return {
    ...row,
    scope: JSON.parse(row.scope as string),
    sourcesRead: row.sourcesRead === 1,
    again: row.again === null ? null : JSON.parse(row.again as string),
    counters: JSON.parse(row.counters as string),
    verdict: row.verdict === null ? null : JSON.parse(row.verdict as string),
  } as unknown as Run;
}
