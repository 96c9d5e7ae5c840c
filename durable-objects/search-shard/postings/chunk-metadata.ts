import type { ChunkMetadata, Filters, Metadata } from '#src/ports/index-types.ts';
import { combineBits, toBitset } from '#src/search/bitset.ts';
import { listFilterKeys, matches } from '#src/search/filters.ts';
import { MASK_BYTES } from '#src/search/memory.ts';
import { pageMetadata } from '#src/search/pages.ts';

type EditedRow = {
  local: number;
  documentId: string;
  versionKey: number;
  hash: string;
  startPage: number | null;
  endPage: number | null;
  member: string | null;
};

/** Chunks that match filters by their documents, and what is needed to evaluate single chunks again. */
interface FilteredChunks {
  /** Chunks that match by the metadata of their documents and pages, one bit per local id. */
  found: Uint8Array;
  /** Chunks that may be found at all, one bit per local id. */
  among: Uint8Array;
  filters: Filters;
  chunkMetadata: ChunkMetadata[] | undefined;
}

/**
 * Evaluates filters again for chunks that have metadata of their own. Returns all chunks that match, one bit per
 * local id.
 */
export function applyChunkMetadata(
  sql: SqlStorage,
  { found, among, filters, chunkMetadata = [] }: FilteredChunks,
): Uint8Array {
  if (chunkMetadata.length === 0) return found;
  const rows = readEditedChunks(sql, chunkMetadata);
  if (rows.length === 0) return found;
  const keys = listFilterKeys(filters);
  const documents = readDocumentMetadata(sql, new Set(rows.map(({ versionKey }) => versionKey)), keys);
  const own = new Map(chunkMetadata.map(({ documentId, chunks }) => [documentId, chunks]));
  const matching = rows.filter((row) =>
    matches(
      {
        ...documents.get(row.versionKey),
        ...own.get(row.documentId)?.[row.hash],
        ...pageMetadata({
          ...(row.startPage !== null && { startPage: row.startPage }),
          ...(row.endPage !== null && { endPage: row.endPage }),
          ...(row.member !== null && { member: row.member }),
        }),
      },
      filters,
    ),
  );
  const unedited = combineBits(found, toBits(rows), 'less');
  return combineBits(unedited, combineBits(toBits(matching), among, 'and'), 'or');
}

const toBits = (rows: EditedRow[]) =>
  toBitset(
    rows.map(({ local }) => local),
    MASK_BYTES,
  );

function readEditedChunks(sql: SqlStorage, chunkMetadata: ChunkMetadata[]): EditedRow[] {
  const wanted = chunkMetadata.map(({ documentId, chunks }) => ({ documentId, hashes: Object.keys(chunks) }));
  return sql
    .exec<EditedRow>(
      `SELECT c.local, v.document_id AS documentId, v.key AS versionKey, t.hash,
         t.start_page AS startPage, t.end_page AS endPage, t.member
       FROM json_each(?) d
       JOIN version v ON v.document_id = d.value ->> 'documentId'
       JOIN chunk c ON c.version_key = v.key
       JOIN content t ON t.local = c.local
       WHERE t.hash IN (SELECT value FROM json_each(d.value, '$.hashes'))`,
      JSON.stringify(wanted),
    )
    .toArray();
}

/** Returns the metadata of document versions under the given keys, by version key. */
function readDocumentMetadata(
  sql: SqlStorage,
  versionKeys: Set<number>,
  keys: Set<string>,
): Map<number, Metadata> {
  const rows = sql.exec<{ key: number; metadata: string }>(
    'SELECT key, metadata FROM version WHERE key IN (SELECT value FROM json_each(?))',
    JSON.stringify([...versionKeys]),
  );
  return new Map(
    [...rows].map(({ key, metadata }) => {
      const entries = Object.entries(JSON.parse(metadata) as Metadata);
      return [key, Object.fromEntries(entries.filter(([name]) => keys.has(name)))];
    }),
  );
}
