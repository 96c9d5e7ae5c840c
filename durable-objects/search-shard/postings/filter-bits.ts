import type { DisabledChunks, Filter, Filters } from '#src/ports/index-types.ts';
import { combineBits, toBitset } from '#src/search/bitset.ts';
import { matchesFilter } from '#src/search/filters.ts';
import { MASK_BYTES } from '#src/search/memory.ts';
import { isPageKey, MEMBER_KEY, pageMetadata } from '#src/search/pages.ts';
import { MAX_CONDITIONS } from './filter-rows.ts';
import { toSlices } from './slices.ts';

const MAX_DEPTH = 10;
/**
 * Maximum number of conditions joined by OR in one SQL statement. For more, it is faster to look up each
 * condition separately than to test every document.
 */
const MAX_ALTERNATIVES = 2;

/**
 * Returns the chunks that match the filters, one bit per local id. `matchDocuments` evaluates conditions on
 * documents that fit into one SQL statement. Larger filters and conditions on pages are evaluated part by
 * part.
 */
export function findMatchingChunks(
  sql: SqlStorage,
  filters: Filters,
  matchDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  if (fitsOneStatement(filters)) return matchDocuments(filters);
  const { condition } = filters;
  const parts: Uint8Array[] = [];
  const plain: Filter[] = [];
  for (const part of filters.filters) {
    if ('filters' in part) parts.push(findMatchingChunks(sql, part, matchDocuments));
    else if (part.key === MEMBER_KEY) parts.push(matchMembers(sql, part, matchDocuments));
    else if (isPageKey(part.key)) parts.push(matchPages(sql, part, matchDocuments));
    else plain.push(part);
  }
  const any = condition === 'or';
  for (const slice of toSlices(plain, any ? 1 : MAX_CONDITIONS)) {
    parts.push(matchDocuments({ condition: any ? 'or' : 'and', filters: slice }));
  }
  const found = parts.reduce((bits, part) => combineBits(bits, part, any ? 'or' : 'and'));
  return condition === 'not' ? combineBits(matchDocuments(), found, 'less') : found;
}

function fitsOneStatement(filters: Filters): boolean {
  let conditions = 0;
  const fits = (group: Filters, depth: number): boolean =>
    depth <= MAX_DEPTH &&
    (group.condition !== 'or' || group.filters.length <= MAX_ALTERNATIVES) &&
    group.filters.every((part) =>
      'filters' in part ? fits(part, depth + 1) : !isPageKey(part.key) && ++conditions <= MAX_CONDITIONS,
    );
  return fits(filters, 1);
}

/**
 * Returns the chunks that match a condition on page numbers. If a chunk has pages of its own, the document's
 * metadata is ignored for it.
 */
function matchPages(
  sql: SqlStorage,
  filter: Filter,
  matchDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  const spans = sql.exec<{ startPage: number; endPage: number }>(
    `SELECT DISTINCT start_page AS startPage, end_page AS endPage FROM content WHERE start_page IS NOT NULL`,
  );
  const matching = [...spans].filter((span) => matchesFilter(pageMetadata(span)[filter.key], filter));
  const found = findChunksWhere(
    sql,
    '(start_page, end_page) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))',
    JSON.stringify(matching.map(({ startPage, endPage }) => [startPage, endPage])),
  );
  return addDocumentMatches(sql, { filter, found, without: 'start_page IS NULL' }, matchDocuments);
}

/**
 * Returns the chunks that match a condition on the path of a file inside the document. If a chunk has its own
 * path, the document's metadata is ignored for it.
 */
function matchMembers(
  sql: SqlStorage,
  filter: Filter,
  matchDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  const paths = sql.exec<{ member: string }>('SELECT DISTINCT member FROM content WHERE member IS NOT NULL');
  const matching = [...paths].map(({ member }) => member).filter((member) => matchesFilter(member, filter));
  const found = findChunksWhere(sql, 'member IN (SELECT value FROM json_each(?))', JSON.stringify(matching));
  return addDocumentMatches(sql, { filter, found, without: 'member IS NULL' }, matchDocuments);
}

/**
 * Adds chunks that have no value of their own and whose document matches. Returns them together with the
 * chunks in `found`. The SQL condition `without` selects chunks without a value.
 */
function addDocumentMatches(
  sql: SqlStorage,
  { filter, found, without }: { filter: Filter; found: Uint8Array; without: string },
  matchDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  const documents = matchDocuments({ condition: 'and', filters: [filter] });
  if (documents.some((byte) => byte !== 0)) {
    const fromDocument = combineBits(documents, findChunksWhere(sql, without), 'and');
    return combineBits(combineBits(matchDocuments(), found, 'and'), fromDocument, 'or');
  }
  return combineBits(matchDocuments(), found, 'and');
}

function findChunksWhere(sql: SqlStorage, where: string, ...parameters: string[]): Uint8Array {
  const { locals } = sql
    .exec<{ locals: string }>(
      `SELECT json_group_array(local) AS locals FROM content WHERE ${where}`,
      ...parameters,
    )
    .one();
  return toBitset(JSON.parse(locals) as number[], MASK_BYTES);
}

/** Returns the chunks of any version whose text has one of the given hashes, one bit per local id. */
export function findDisabledChunks(sql: SqlStorage, disabled: readonly DisabledChunks[]): Uint8Array {
  const { locals } = sql
    .exec<{ locals: string }>(
      `SELECT json_group_array(c.local) AS locals
       FROM json_each(?) d
       JOIN version v ON v.document_id = d.value ->> 'documentId'
       JOIN chunk c ON c.version_key = v.key
       JOIN content t ON t.local = c.local
       WHERE t.hash IN (SELECT value FROM json_each(d.value, '$.hashes'))`,
      JSON.stringify(disabled),
    )
    .one();
  return toBitset(JSON.parse(locals) as number[], MASK_BYTES);
}
