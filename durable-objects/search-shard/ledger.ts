import type { Removal } from '#src/ports/shard.ts';
import { IDS_IN_ONE_VALUE, slices } from './postings/slices.ts';

const pairs = (removals: Removal[]) =>
  JSON.stringify(removals.map((each) => [each.documentId, each.version]));

export function owe(sql: SqlStorage, removals: Removal[]): void {
  for (const slice of slices(removals, IDS_IN_ONE_VALUE)) {
    sql.exec(
      `INSERT INTO owed SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
       ON CONFLICT (document_id) DO UPDATE SET version = max(version, excluded.version)`,
      pairs(slice),
    );
  }
}

export function owed(sql: SqlStorage, limit: number): Removal[] {
  const rows = sql.exec<{ document_id: string; version: number }>('SELECT * FROM owed LIMIT ?', limit);
  return [...rows].map(({ document_id, version }) => ({ documentId: document_id, version }));
}

export function settle(sql: SqlStorage, removals: Removal[]): void {
  for (const slice of slices(removals, IDS_IN_ONE_VALUE)) {
    sql.exec(
      `DELETE FROM owed WHERE EXISTS (
         SELECT 1 FROM json_each(?) w WHERE w.value ->> 0 = owed.document_id AND w.value ->> 1 >= owed.version)`,
      pairs(slice),
    );
  }
}
