import type { Removal } from '#src/ports/shard.ts';
import { MAX_IDS_PER_VALUE, toSlices } from './postings/slices.ts';

const toPairs = (removals: Removal[]) =>
  JSON.stringify(removals.map((each) => [each.documentId, each.version]));

export function recordRemovals(sql: SqlStorage, removals: Removal[]): void {
  for (const slice of toSlices(removals, MAX_IDS_PER_VALUE)) {
    sql.exec(
      `INSERT INTO owed SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
       ON CONFLICT (document_id) DO UPDATE SET version = max(version, excluded.version)`,
      toPairs(slice),
    );
  }
}

export function listPendingRemovals(sql: SqlStorage, limit: number): Removal[] {
  const rows = sql.exec<{ document_id: string; version: number }>('SELECT * FROM owed LIMIT ?', limit);
  return [...rows].map(({ document_id, version }) => ({ documentId: document_id, version }));
}

export function completeRemovals(sql: SqlStorage, removals: Removal[]): void {
  for (const slice of toSlices(removals, MAX_IDS_PER_VALUE)) {
    sql.exec(
      `DELETE FROM owed WHERE EXISTS (
         SELECT 1 FROM json_each(?) w WHERE w.value ->> 0 = owed.document_id AND w.value ->> 1 >= owed.version)`,
      toPairs(slice),
    );
  }
}
