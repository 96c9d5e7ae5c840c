import { analyseTitle } from '../../src/search/analysis.ts';
import type { LanguageCode } from '../../src/search/languages.ts';
import type { IndexedDocument } from '../../src/search/types.ts';
import { writeFilterValues } from './filter-rows.ts';

export type VersionRow = { key: number; version: number; published: number; title: string; metadata: string };

export function versionsOf(sql: SqlStorage, documentId: string): VersionRow[] {
  return sql.exec<VersionRow>('SELECT * FROM version WHERE document_id = ?', documentId).toArray();
}

/** Published already, overtaken by a later version, or removed. */
export function isPast(sql: SqlStorage, documentId: string, version: number): boolean {
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

/** The version to stage into, with the title and metadata given last. */
export function openVersion(sql: SqlStorage, document: IndexedDocument): VersionRow {
  const { documentId, version, title, metadata } = document;
  const existing = versionsOf(sql, documentId).find((row) => row.version === version);
  if (existing !== undefined) {
    describeVersion(sql, existing, document);
    return existing;
  }
  const row = sql
    .exec<VersionRow>(
      'INSERT INTO version (document_id, version, title, metadata) VALUES (?, ?, ?, ?) RETURNING *',
      documentId,
      version,
      title,
      JSON.stringify(metadata),
    )
    .one();
  writeFilterValues(sql, row.key, metadata);
  return row;
}

export function describeVersion(
  sql: SqlStorage,
  row: VersionRow,
  { title, metadata }: Pick<IndexedDocument, 'title' | 'metadata'>,
): void {
  const json = JSON.stringify(metadata);
  if (row.title === title && row.metadata === json) return;
  sql.exec('UPDATE version SET title = ?, metadata = ? WHERE key = ?', title, json, row.key);
  if (row.metadata !== json) writeFilterValues(sql, row.key, metadata);
  if (row.title === title) return;
  sql.exec('DELETE FROM title_term WHERE version_key = ?', row.key);
  const languages = sql.exec<{ code: LanguageCode }>(
    'SELECT DISTINCT l.code FROM chunk c JOIN language l ON l.number = c.language WHERE c.version_key = ?',
    row.key,
  );
  for (const { code } of languages.toArray()) writeTitleTerms(sql, row.key, title, code);
}

export function writeTitleTerms(
  sql: SqlStorage,
  versionKey: number,
  title: string,
  language: LanguageCode,
): void {
  for (const [term, frequency] of analyseTitle(title, language)) {
    sql.exec('INSERT OR IGNORE INTO title_term VALUES (?, ?, ?)', term, versionKey, frequency);
  }
}

/** Gone for every query at once; upkeep deletes what it leaves behind. */
export function forgetVersions(sql: SqlStorage, where: string, ...parameters: (string | number)[]): void {
  sql.exec(`INSERT INTO dead_version SELECT key FROM version WHERE ${where}`, ...parameters);
  sql.exec(`DELETE FROM version WHERE ${where}`, ...parameters);
}

/** `ids`: JSON array of document ids. */
export function writeTombstones(sql: SqlStorage, ids: string, version: number): void {
  sql.exec(
    `INSERT INTO tombstone SELECT value, ? FROM json_each(?) WHERE true
     ON CONFLICT (document_id) DO UPDATE SET version = max(version, excluded.version)`,
    version,
    ids,
  );
}
