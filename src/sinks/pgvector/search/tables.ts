import type { PgvectorSettings } from '#src/sinks/pgvector/settings.ts';
import { quoteName } from '#src/sinks/pgvector/table.ts';

/**
 * Columns of the tables that a search in the store needs. Their names begin with `table_name`. A chunk is
 * visible if its version is the version of its document.
 */
export const SEARCH_TABLES = {
  documents: {
    sluice_index: 'text',
    document_id: 'text',
    /** Visible version. Null if there is none. */
    version: 'int8',
    /** Highest removed version. Versions up to it can no longer be published. */
    removed: 'int8',
    title: 'text',
    keywords: 'text',
    metadata: 'json',
    facets: 'jsonb',
  },
  chunks: {
    id: 'uuid',
    sluice_index: 'text',
    document_id: 'text',
    version: 'int8',
    position: 'int4',
    node_id: 'text',
    hash: 'text',
    text: 'text',
    details: 'text',
    pages: 'jsonb',
    language: 'text',
    length: 'int4',
    /** Hashes of the words, and how often each of them occurs. */
    terms: '_int8',
    frequencies: '_int2',
    embedding: 'vector',
  },
  /** Number of visible chunks that contain a term. */
  terms: { sluice_index: 'text', term: 'int8', chunks: 'int4' },
  /** Visible chunks of each language, their words, and the bytes of their texts. */
  languages: { sluice_index: 'text', language: 'text', chunks: 'int8', words: 'int8', bytes: 'int8' },
} as const;

export type SearchTable = keyof typeof SEARCH_TABLES;
export const SEARCH_TABLE_NAMES = Object.keys(SEARCH_TABLES) as SearchTable[];

export const PRIMARY_KEYS: Record<SearchTable, string> = {
  documents: 'sluice_index, document_id',
  chunks: 'id',
  terms: 'sluice_index, term',
  languages: 'sluice_index, language',
};

/** Columns that may be null. */
export const NULLABLE: Record<SearchTable, readonly string[]> = {
  documents: ['version', 'keywords'],
  chunks: [],
  terms: [],
  languages: [],
};

export const getTableName = ({ table_name }: Pick<PgvectorSettings, 'table_name'>, table: SearchTable) =>
  `${table_name}_${table}`;

export type TableNames = Record<SearchTable, string>;

/** Returns the quoted names of the tables with their schema. */
export function getTables(settings: PgvectorSettings): TableNames {
  const schema = quoteName(settings.schema_name);
  const entries = SEARCH_TABLE_NAMES.map((table) => [
    table,
    `${schema}.${quoteName(getTableName(settings, table))}`,
  ]);
  return Object.fromEntries(entries) as TableNames;
}
