import type { IndexedDocument, Metadata, SearchHit, StoredChunk } from '#src/ports/index-types.ts';
import type { TermCounts } from '#src/search/analysis.ts';
import { pageMetadata } from '#src/search/pages.ts';
import type { SearchChunk } from '#src/sinks/native/search-store.ts';
import type { Row } from '#src/sinks/pgvector/database.ts';
import { toFacets } from './facets.ts';
import { decodeText, encodeText } from './storable.ts';
import { SEARCH_TABLES } from './tables.ts';

type Details = Pick<
  StoredChunk,
  'headings' | 'startChar' | 'endChar' | 'startPage' | 'endPage' | 'member' | 'previousId' | 'nextId'
>;

export const toVectorLiteral = (vector: Float32Array): string => `[${vector.join(',')}]`;
export const toArrayLiteral = (values: number[]): string => `{${values.join(',')}}`;

const CHUNK_COLUMNS = Object.entries(SEARCH_TABLES.chunks);
const chunkNames = CHUNK_COLUMNS.map(([name]) => name);
/** Column definitions for reading chunk rows from JSON, in which vectors and arrays are texts. */
const RECORD = CHUNK_COLUMNS.map(([name, type]) => `${name} ${isSentAsText(type) ? 'text' : type}`).join(
  ', ',
);
const SELECTED = CHUNK_COLUMNS.map(([name, type]) =>
  isSentAsText(type) ? `r.${name}::${type}` : `r.${name}`,
).join(', ');
const UPDATED = chunkNames
  .filter((name) => name !== 'id')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

function isSentAsText(type: string): boolean {
  return type === 'vector' || type.startsWith('_');
}

/** Returns the statement that writes the rows of $1, a JSON array. */
export const buildChunkInsert = (table: string): string =>
  `insert into ${table} (${chunkNames.join(', ')})
  select ${SELECTED} from json_to_recordset($1::text::json) as r(${RECORD})
  on conflict (id) do update set ${UPDATED}`;

export function toChunkRow(
  indexId: string,
  { documentId, version }: Pick<IndexedDocument, 'documentId' | 'version'>,
  chunk: SearchChunk,
  hash: (term: string) => number,
): Row {
  const { headings = [], startChar, endChar, startPage, endPage, member, previousId, nextId } = chunk;
  const details = { headings, startChar, endChar, startPage, endPage, member, previousId, nextId };
  return {
    id: chunk.rowId,
    sluice_index: indexId,
    document_id: encodeText(documentId),
    version,
    position: chunk.position,
    node_id: encodeText(chunk.id),
    hash: encodeText(chunk.hash),
    text: encodeText(chunk.text),
    // The JSON text contains NUL and unpaired surrogates as escape sequences, so it can be stored as it is.
    details: JSON.stringify(details),
    pages: toFacets(pageMetadata(chunk)),
    language: chunk.analysed.language,
    length: chunk.analysed.length,
    ...toTermColumns(chunk.analysed, hash),
    embedding: toVectorLiteral(chunk.vector),
  };
}

/** Returns the terms of a chunk and their frequencies, in the order of the hashes, which binary searches need. */
export function toTermColumns(
  { terms, frequencies }: TermCounts,
  hash: (term: string) => number,
): { terms: string; frequencies: string } {
  const pairs = terms.map((term, index) => [hash(term), frequencies[index]!] as const);
  pairs.sort(([a], [b]) => a - b);
  return {
    terms: toArrayLiteral(pairs.map(([term]) => term)),
    frequencies: toArrayLiteral(pairs.map(([, frequency]) => frequency)),
  };
}

/**
 * Columns of a chunk in search results and lists. `c` is the row of the chunk, and `d` is the row of its document.
 */
export const buildChunkSelection = (chunks: string): string => {
  const neighbour = (offset: string) => `(select n.node_id from ${chunks} n
    where n.sluice_index = c.sluice_index and n.document_id = c.document_id and n.version = c.version
      and n.position = c.position ${offset})`;
  return `c.node_id, c.document_id, c.position, c.text, c.details, c.hash, c.language, d.title,
    d.metadata::text as metadata, ${neighbour('- 1')} as previous_id, ${neighbour('+ 1')} as next_id`;
};

export function parseChunk(row: Row): StoredChunk {
  const text = (name: string) => decodeText(String(row[name]));
  const neighbour = (name: string) => (row[name] === null ? undefined : text(name));
  const details = JSON.parse(String(row.details)) as Details;
  const previousId = details.previousId ?? neighbour('previous_id');
  const nextId = details.nextId ?? neighbour('next_id');
  return {
    ...details,
    id: text('node_id'),
    documentId: text('document_id'),
    position: Number(row.position),
    text: text('text'),
    hash: text('hash'),
    language: String(row.language),
    title: text('title'),
    metadata: JSON.parse(String(row.metadata)) as Metadata,
    ...(previousId !== undefined && { previousId }),
    ...(nextId !== undefined && { nextId }),
  };
}

export function parseHit(row: Row): SearchHit {
  return {
    id: decodeText(String(row.node_id)),
    documentId: decodeText(String(row.document_id)),
    position: Number(row.position),
    score: Number(row.score),
  };
}
