import type { SplitDocuments } from '#src/ports/shard.ts';

/** Returns the visible versions of documents that span several shards and whose first shard is this one. */
export function readDecidedVersions(sql: SqlStorage): SplitDocuments {
  const rows = sql.exec<{ document_id: string; version: number; whole: number }>(
    'SELECT document_id, version, whole FROM version WHERE whole > 0 AND published = 1',
  );
  return Object.fromEntries(
    [...rows].map(({ document_id, version, whole }) => [document_id, { version, chunkCount: whole }]),
  );
}

/** Returns the local ids of the chunks that this shard holds, for each of the documents in `split`. */
export function readHeldLocals(sql: SqlStorage, split: SplitDocuments): Record<string, number[]> {
  const wanted = Object.entries(split).map(([documentId, { version }]) => [documentId, version]);
  const rows = sql.exec<{ document_id: string; locals: string }>(
    `SELECT v.document_id, json_group_array(c.local) AS locals
     FROM json_each(?) w
     JOIN version v ON v.document_id = w.value ->> 0 AND v.version = w.value ->> 1
     JOIN chunk c ON c.version_key = v.key
     GROUP BY v.document_id`,
    JSON.stringify(wanted),
  );
  return Object.fromEntries(
    [...rows].map(({ document_id, locals }) => [document_id, JSON.parse(locals) as number[]]),
  );
}
