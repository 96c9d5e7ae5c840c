import type { PgvectorSettings } from './settings.ts';

/** Replaces the characters that PostgreSQL does not accept in texts: NUL and unpaired surrogates. */
export const toStorable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/**
 * Encodes an id for a text column. Characters that PostgreSQL does not accept are escaped as in JSON, so that
 * two ids never become equal. Ordinary ids stay unchanged.
 */
export const encodeId = (text: string): string => JSON.stringify(text).slice(1, -1);
export function decodeId(id: string): string | undefined {
  try {
    const text: unknown = JSON.parse(`"${id}"`);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_NAME = 63;
const encoder = new TextEncoder();

/** Returns the reason why a name cannot be used in PostgreSQL. Returns `undefined` if the name is valid. */
export function findNameProblem(name: string): string | undefined {
  if (name === '') return 'The name must not be empty.';
  if (toStorable(name) !== name) return 'The name contains characters that the database does not allow.';
  const size = encoder.encode(name).length;
  return size > LONGEST_NAME
    ? `The name has ${size} bytes, but at most ${LONGEST_NAME} are allowed.`
    : undefined;
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const getQualifiedTable = ({ schema_name, table_name }: PgvectorSettings): string =>
  `${quoteName(schema_name)}.${quoteName(table_name)}`;

/** Column types of the table. The vector column gets its dimension when the table is created. */
export const COLUMNS = {
  id: 'uuid',
  sluice_index: 'text',
  document_id: 'text',
  version: 'int8',
  position: 'int4',
  node_id: 'text',
  title: 'text',
  text: 'text',
  metadata: 'jsonb',
  pages: 'jsonb',
  embedding: 'vector',
} as const;

/**
 * Column that Sluice does not search, but that the owner can use for full-text search. PostgreSQL indexes at
 * most about a megabyte of text, so longer texts are cut.
 */
export const FULL_TEXT = {
  column: 'text_search_tsv',
  definition: `tsvector generated always as (to_tsvector('simple'::regconfig, left("text", 100000))) stored`,
};
