import type { PgvectorSettings } from './settings.ts';

/** A text as the database takes it: it has no zero characters and no halves of characters. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/**
 * An id as a column holds it, and back: what the database cannot take is written as JSON writes it, so two ids never
 * become one. Ordinary ids stay as they are.
 */
export const idOf = (text: string): string => JSON.stringify(text).slice(1, -1);
export function textOfId(id: string): string | undefined {
  try {
    const text: unknown = JSON.parse(`"${id}"`);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_NAME = 63;
const encoder = new TextEncoder();

/** Why a name cannot be one of the database's; undefined: it can. */
export function unfitName(name: string): string | undefined {
  if (name === '') return 'A name is needed.';
  if (storable(name) !== name) return 'The name has characters that the database does not take.';
  const size = encoder.encode(name).length;
  return size > LONGEST_NAME ? `The name has ${size} bytes, and ${LONGEST_NAME} are allowed.` : undefined;
}

/** A name in quotes, whatever it holds. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The table with its schema, quoted. */
export const tableOf = ({ schema_name, table_name }: PgvectorSettings): string =>
  `${quoted(schema_name)}.${quoted(table_name)}`;

/** Columns with their types; the vector's has its dimension besides. */
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

/** For the owner's own search by words. The database indexes no more of a text than about a megabyte. */
export const WORDS = {
  column: 'text_search_tsv',
  definition: `tsvector generated always as (to_tsvector('simple'::regconfig, left("text", 100000))) stored`,
};
