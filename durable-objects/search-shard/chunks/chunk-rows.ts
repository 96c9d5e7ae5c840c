import { TooLarge } from '#src/lib/errors.ts';
import type { IndexedChunk, Metadata, SearchHit, StoredChunk } from '#src/ports/index-types.ts';
import type { ChunkPlace } from '#src/ports/shard.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { insertRows } from '../../insert-rows.ts';

/** Maximum size of an answer in bytes, below Cloudflare's limit of 32 MiB per call. */
const MAX_ANSWER_BYTES = 30_000_000;
const NON_LATIN1 = /[^\0-\xff]/;

export interface NewChunk {
  local: number;
  versionKey: number;
  chunk: IndexedChunk;
  length: number;
  language: number;
}

export function insertChunks(sql: SqlStorage, chunks: readonly NewChunk[]): void {
  insertRows(
    sql,
    'INSERT INTO chunk (local, version_key, position, id, length, language)',
    chunks.map(({ local, versionKey, chunk, length, language }) => [
      local,
      versionKey,
      chunk.position,
      chunk.id,
      length,
      language,
    ]),
  );
  insertRows(
    sql,
    'INSERT INTO content',
    chunks.map(({ local, chunk }) => [
      local,
      chunk.text,
      JSON.stringify(chunk.headings ?? []),
      chunk.startChar,
      chunk.endChar,
      chunk.startPage ?? null,
      chunk.endPage ?? chunk.startPage ?? null,
      chunk.hash,
      chunk.previousId ?? null,
      chunk.nextId ?? null,
      chunk.member ?? null,
    ]),
  );
  // An empty vector means that another vector store holds the chunk's vector.
  const withVector = chunks.filter(({ chunk }) => chunk.vector.byteLength > 0);
  insertRows(
    sql,
    'INSERT INTO vec',
    withVector.map(({ local, chunk: { vector } }) => {
      const { buffer, byteOffset, byteLength } = vector;
      return [local, buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer];
    }),
  );
}

/**
 * Deletes up to `limit` chunks of these versions and returns their local ids. `versionKeys` is a JSON array.
 */
export function purgeChunks(sql: SqlStorage, versionKeys: string, limit: number): number[] {
  const { locals } = sql
    .exec<{ locals: string }>(
      `SELECT json_group_array(local) AS locals FROM (
         SELECT local FROM chunk WHERE version_key IN (SELECT value FROM json_each(?)) LIMIT ?)`,
      versionKeys,
      limit,
    )
    .one();
  if (locals === '[]') return [];
  for (const table of ['content', 'vec', 'chunk']) {
    sql.exec(`DELETE FROM ${table} WHERE local IN (SELECT value FROM json_each(?))`, locals);
  }
  sql.exec('INSERT OR IGNORE INTO retired (local) SELECT value FROM json_each(?)', locals);
  return JSON.parse(locals) as number[];
}

/** Returns the number that represents a language in the `chunk` table. Adds the language if it is new. */
export function getOrAddLanguageNumber(sql: SqlStorage, code: LanguageCode): number {
  sql.exec('INSERT OR IGNORE INTO language (code) VALUES (?)', code);
  return sql.exec<{ number: number }>('SELECT number FROM language WHERE code = ?', code).one().number;
}

export function readVersionLocals(sql: SqlStorage, versionKeys: number[]): number[] {
  const { locals } = sql
    .exec<{ locals: string }>(
      `SELECT json_group_array(local) AS locals FROM chunk
       WHERE version_key IN (SELECT value FROM json_each(?))`,
      JSON.stringify(versionKeys),
    )
    .one();
  return JSON.parse(locals) as number[];
}

/**
 * Returns the chunk id, document id and position for each local id. These values also decide the order of
 * hits with equal scores.
 */
export function readHitIds(sql: SqlStorage, locals: number[]): Map<number, Omit<SearchHit, 'score'>> {
  const rows = sql.exec<{ local: number; id: string; position: number; document_id: string }>(
    `SELECT c.local, c.id, c.position, v.document_id FROM chunk c JOIN version v ON v.key = c.version_key
     WHERE c.local IN (SELECT value FROM json_each(?))`,
    JSON.stringify(locals),
  );
  return new Map(
    [...rows].map(({ local, id, position, document_id }) => [
      local,
      { id, documentId: document_id, position },
    ]),
  );
}

export function* readVectors(
  sql: SqlStorage,
  locals: number[],
): Generator<[local: number, vector: Float32Array]> {
  const rows = sql.exec<{ local: number; value: ArrayBuffer }>(
    'SELECT local, value FROM vec WHERE local IN (SELECT value FROM json_each(?))',
    JSON.stringify(locals),
  );
  for (const { local, value } of rows) yield [local, new Float32Array(value)];
}

type StoredRow = {
  id: string;
  document_id: string;
  position: number;
  text: string;
  headings: string;
  start_char: number;
  end_char: number;
  start_page: number | null;
  end_page: number | null;
  member: string | null;
  hash: string;
  title: string;
  metadata: string;
  language: string;
  previous_id: string | null;
  next_id: string | null;
  vector?: ArrayBuffer | null;
};

const COLUMNS = `
  c.id, v.document_id, c.position, t.text, t.headings, t.start_char, t.end_char, t.start_page, t.end_page, t.member, t.hash,
  v.title, v.metadata, l.code AS language,
  coalesce(t.previous_id, (SELECT id FROM chunk p WHERE p.version_key = c.version_key AND p.position < c.position
   ORDER BY p.position DESC LIMIT 1)) AS previous_id,
  coalesce(t.next_id, (SELECT id FROM chunk n WHERE n.version_key = c.version_key AND n.position > c.position
   ORDER BY n.position LIMIT 1)) AS next_id`;
const TABLES = `chunk c JOIN version v ON v.key = c.version_key JOIN content t ON t.local = c.local
  JOIN language l ON l.number = c.language`;

export function readChunks(sql: SqlStorage, locals: number[]): StoredChunk[] {
  const rows = sql.exec<StoredRow>(
    `SELECT ${COLUMNS} FROM ${TABLES} WHERE c.local IN (SELECT value FROM json_each(?))`,
    JSON.stringify(locals),
  );
  return toChunks(
    rows,
    'The results are too large for one answer. Use a smaller dense_similarity_top_k or sparse_similarity_top_k.',
  );
}

function toChunks(rows: Iterable<StoredRow>, tooLarge: string): StoredChunk[] {
  const chunks: StoredChunk[] = [];
  let bytes = 0;
  for (const row of rows) {
    // Cloudflare transfers a string with two bytes per character if at least one of its characters is not
    // Latin-1.
    const width = NON_LATIN1.test(row.text) ? 2 : 1;
    bytes += width * row.text.length + (row.vector?.byteLength ?? 0) + 2 * row.metadata.length + 500;
    if (bytes > MAX_ANSWER_BYTES) throw new TooLarge(tooLarge);
    chunks.push(toChunk(row));
  }
  return chunks;
}

/**
 * Returns the chunks of a document in order of position, with their vectors. Reads the published version if
 * `version` is undefined.
 */
export function readDocumentChunks(
  sql: SqlStorage,
  documentId: string,
  page: { from: number; limit: number } | undefined,
  version: number | undefined,
): StoredChunk[] {
  const rows = sql.exec<StoredRow>(
    `SELECT ${COLUMNS}, e.value AS vector FROM ${TABLES} LEFT JOIN vec e ON e.local = c.local
     WHERE v.document_id = ? AND ${version === undefined ? 'v.published = ?' : 'v.version = ?'}
       AND c.position >= ? ORDER BY c.position LIMIT ?`,
    documentId,
    version ?? 1,
    page?.from ?? 0,
    page?.limit ?? -1,
  );
  return toChunks(
    rows,
    'The chunks of the document are too large for one answer. Request fewer chunks at a time.',
  );
}

/**
 * Returns the document and position of a chunk, even if its version is not published. Returns null if the
 * shard does not have the chunk.
 */
export function findChunkPlace(sql: SqlStorage, id: string): ChunkPlace | null {
  const [found] = sql.exec<{ documentId: string; position: number }>(
    `SELECT v.document_id AS documentId, c.position FROM chunk c JOIN version v ON v.key = c.version_key
     WHERE c.id = ? ORDER BY v.published DESC LIMIT 1`,
    id,
  );
  return found ?? null;
}

function toChunk(row: StoredRow): StoredChunk {
  return {
    id: row.id,
    documentId: row.document_id,
    position: row.position,
    text: row.text,
    headings: JSON.parse(row.headings) as string[],
    startChar: row.start_char,
    endChar: row.end_char,
    ...(row.start_page === null ? {} : { startPage: row.start_page }),
    ...(row.end_page === null ? {} : { endPage: row.end_page }),
    ...(row.member === null ? {} : { member: row.member }),
    hash: row.hash,
    language: row.language,
    title: row.title,
    metadata: JSON.parse(row.metadata) as Metadata,
    ...(row.previous_id === null ? {} : { previousId: row.previous_id }),
    ...(row.next_id === null ? {} : { nextId: row.next_id }),
    ...(row.vector ? { vector: new Float32Array(row.vector) } : {}),
  };
}
