import { Conflict } from '#src/lib/errors.ts';
import type { DocumentDescription, IndexedDocument } from '#src/ports/index-types.ts';
import type { ShardVersion } from '#src/ports/shard.ts';
import { insertRows, MAX_PARAMETERS } from '../../insert-rows.ts';
import { insertFilterValues } from '../postings/filter-rows.ts';
import { toSlices } from '../postings/slices.ts';
import { changeTitle } from '../postings/title-postings.ts';
import { readVersionLocals } from './chunk-rows.ts';

export type VersionRow = {
  key: number;
  version: number;
  published: number;
  whole: number | null;
  title: string;
  keywords: string;
  metadata: string;
};

export function readVersions(sql: SqlStorage, documentId: string): VersionRow[] {
  return sql.exec<VersionRow>('SELECT * FROM version WHERE document_id = ?', documentId).toArray();
}

/**
 * Returns the ids of the documents to which the given versions belong. Returns null if there are more than
 * `limit` documents.
 */
export function listDocumentIds(sql: SqlStorage, keys: Set<number>, limit: number): string[] | null {
  const rows = sql.exec<{ id: string }>(
    `SELECT DISTINCT document_id AS id FROM version
     WHERE key IN (SELECT value FROM json_each(?)) LIMIT ?`,
    JSON.stringify([...keys]),
    limit + 1,
  );
  const ids = [...rows].map(({ id }) => id);
  return ids.length > limit ? null : ids;
}

/** Returns all stored versions of a document, each with the number of its chunks in this shard. */
export function readShardVersions(sql: SqlStorage, documentId: string): ShardVersion[] {
  const rows = sql.exec<{ version: number; published: number; whole: number | null; chunks: number }>(
    `SELECT version, published, whole, (SELECT count(*) FROM chunk c WHERE c.version_key = v.key) AS chunks
     FROM version v WHERE document_id = ?`,
    documentId,
  );
  return [...rows].map((row) => ({ ...row, published: row.published === 1 }));
}

/** Returns true if the version was already published, replaced by a later one, or removed. */
export function isOutdated(sql: SqlStorage, documentId: string, version: number): boolean {
  const past = sql.exec(
    `SELECT 1 FROM version WHERE document_id = ? AND published = 1 AND version >= ?
     UNION ALL SELECT 1 FROM tombstone WHERE document_id = ? AND version >= ?`,
    documentId,
    version,
    documentId,
    version,
  );
  return past.toArray().length > 0;
}

export interface Published {
  /** True if the requested version is the published one. */
  current: boolean;
  /** Local ids of chunks that became visible to queries (`shown`) or invisible (`hidden`). */
  shown: number[];
  hidden: number[];
}

/**
 * Publishes a version of a document and hides older versions. Throws Conflict if chunks of the version are
 * missing. The parameter `whole` is described at `Shard.publish`.
 */
export function publishVersion(
  sql: SqlStorage,
  documentId: string,
  version: number,
  chunkCount: number,
  whole: number | undefined,
): Published {
  const versions = readVersions(sql, documentId);
  const row = versions.find((each) => each.version === version);
  if (isOutdated(sql, documentId, version)) return { current: row?.published === 1, shown: [], hidden: [] };
  const staged = row === undefined ? [] : readVersionLocals(sql, [row.key]);
  if (staged.length !== chunkCount || (row === undefined && whole !== 0)) {
    const message = `Version ${version} of document ${documentId} cannot be published before all its chunks are stored (${staged.length} of ${chunkCount}).`;
    // The error is marked as retryable, because another attempt stages all chunks again.
    throw new Conflict(message, { retryable: true });
  }
  const older = versions.filter((each) => each.version < version).map((each) => each.key);
  const hidden = older.length === 0 ? [] : readVersionLocals(sql, older);
  if (older.length > 0) markVersionsDead(sql, 'document_id = ? AND version < ?', documentId, version);
  if (row) sql.exec('UPDATE version SET published = 1, whole = ? WHERE key = ?', whole ?? null, row.key);
  return { current: true, shown: whole === undefined ? staged : [], hidden };
}

/** Creates an unpublished version and returns its key. */
export function createVersion(sql: SqlStorage, document: IndexedDocument): number {
  const { documentId, version, title, keywords = '', metadata } = document;
  const { key } = sql
    .exec<{ key: number }>(
      `INSERT INTO version (document_id, version, title, keywords, metadata) VALUES (?, ?, ?, ?, ?)
       RETURNING key`,
      documentId,
      version,
      title,
      keywords,
      JSON.stringify(metadata),
    )
    .one();
  insertFilterValues(sql, [[key, metadata]]);
  return key;
}

/**
 * Creates published versions of documents. Returns the key of each version by document id. All documents must be
 * different.
 */
export function createPublishedVersions(
  sql: SqlStorage,
  documents: readonly IndexedDocument[],
): Map<string, number> {
  const created = insertRows<{ document_id: string; key: number }>(
    sql,
    'INSERT INTO version (document_id, version, published, title, keywords, metadata)',
    documents.map(({ documentId, version, title, keywords = '', metadata }) => [
      documentId,
      version,
      1,
      title,
      keywords,
      JSON.stringify(metadata),
    ]),
    'RETURNING document_id, key',
  );
  const keys = new Map(created.map(({ document_id, key }) => [document_id, key]));
  insertFilterValues(
    sql,
    documents.map(({ documentId, metadata }) => [keys.get(documentId)!, metadata]),
  );
  return keys;
}

/** Hides all versions of the documents that the shard has, and returns the local ids of their chunks. */
export function hideOlderVersions(sql: SqlStorage, documents: readonly IndexedDocument[]): number[] {
  const ids = documents.map(({ documentId }) => documentId);
  const older = [...readLatestVersions(sql, ids).values()].flatMap(({ keys }) => keys);
  if (older.length === 0) return [];
  const hidden = readVersionLocals(sql, older);
  markVersionsDead(sql, 'key IN (SELECT value FROM json_each(?))', JSON.stringify(older));
  return hidden;
}

interface Latest {
  /** Highest version of the document that the shard has or that was removed. */
  version: number;
  /** Keys of the stored versions. */
  keys: number[];
}

/** Returns what the shard knows of each document. Documents without a version or tombstone are absent. */
export function readLatestVersions(sql: SqlStorage, documentIds: readonly string[]): Map<string, Latest> {
  const latest = new Map<string, Latest>();
  // The ids are parameters, because SQLite's JSON functions do not preserve every character of a text.
  for (const ids of toSlices([...documentIds], MAX_PARAMETERS / 2)) {
    const list = ids.map(() => '?').join(', ');
    const rows = sql.exec<{ id: string; version: number; key: number | null }>(
      `SELECT document_id AS id, version, key FROM version WHERE document_id IN (${list})
       UNION ALL SELECT document_id, version, NULL FROM tombstone WHERE document_id IN (${list})`,
      ...ids,
      ...ids,
    );
    for (const { id, version, key } of rows) {
      const known = latest.get(id) ?? { version, keys: [] };
      const keys = key === null ? known.keys : [...known.keys, key];
      latest.set(id, { version: Math.max(known.version, version), keys });
    }
  }
  return latest;
}

export function updateVersion(
  sql: SqlStorage,
  row: VersionRow,
  { title, metadata, hasWeights = false }: Omit<DocumentDescription, 'documentId'>,
): void {
  const json = JSON.stringify(metadata);
  if (row.title === title && row.metadata === json) return;
  sql.exec('UPDATE version SET title = ?, metadata = ? WHERE key = ?', title, json, row.key);
  if (row.metadata !== json) {
    sql.exec('DELETE FROM filter_value WHERE version_key = ?', row.key);
    insertFilterValues(sql, [[row.key, metadata]]);
  }
  if (row.title === title) return;
  changeTitle(sql, row.key, { title, keywords: row.keywords, hasWeights });
}

/** Makes versions invisible to queries at once. Upkeep deletes their data later. */
export function markVersionsDead(sql: SqlStorage, where: string, ...parameters: (string | number)[]): void {
  sql.exec(`INSERT INTO dead_version SELECT key FROM version WHERE ${where}`, ...parameters);
  sql.exec(`DELETE FROM version WHERE ${where}`, ...parameters);
}

/**
 * Writes tombstones, so that late writes up to this version do not restore the documents. `ids` is a JSON
 * array of document ids.
 */
export function writeTombstones(sql: SqlStorage, ids: string, version: number): void {
  sql.exec(
    `INSERT INTO tombstone SELECT value, ? FROM json_each(?) WHERE true
     ON CONFLICT (document_id) DO UPDATE SET version = max(version, excluded.version)`,
    version,
    ids,
  );
}
