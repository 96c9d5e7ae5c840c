import type { Filter, Filters } from '#src/ports/index-types.ts';
import { bitsOf, combineBits } from '#src/search/bitset.ts';
import { matchesOne } from '#src/search/filters.ts';
import { MASK_BYTES } from '#src/search/memory.ts';
import { isPageKey, MEMBER_KEY, pageMetadata } from '#src/search/pages.ts';
import { MOST_CONDITIONS } from './filter-rows.ts';
import { slices } from './slices.ts';

const DEEPEST = 10;
/** Above, a look-up for each alternative is cheaper than a test of each document. */
const MOST_ALTERNATIVES = 2;

/**
 * The chunks (bits) that match, where `ofDocuments` answers for conditions on documents that one statement can hold.
 * What is larger, and conditions on pages, are answered part by part.
 */
export function matchingChunks(
  sql: SqlStorage,
  filters: Filters,
  ofDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  if (isSmall(filters)) return ofDocuments(filters);
  const { condition } = filters;
  const parts: Uint8Array[] = [];
  const plain: Filter[] = [];
  for (const part of filters.filters) {
    if ('filters' in part) parts.push(matchingChunks(sql, part, ofDocuments));
    else if (part.key === MEMBER_KEY) parts.push(onMembers(sql, part, ofDocuments));
    else if (isPageKey(part.key)) parts.push(onPages(sql, part, ofDocuments));
    else plain.push(part);
  }
  const any = condition === 'or';
  for (const slice of slices(plain, any ? 1 : MOST_CONDITIONS)) {
    parts.push(ofDocuments({ condition: any ? 'or' : 'and', filters: slice }));
  }
  const found = parts.reduce((bits, part) => combineBits(bits, part, any ? 'or' : 'and'));
  return condition === 'not' ? combineBits(ofDocuments(), found, 'less') : found;
}

function isSmall(filters: Filters): boolean {
  let conditions = 0;
  const fits = (group: Filters, depth: number): boolean =>
    depth <= DEEPEST &&
    (group.condition !== 'or' || group.filters.length <= MOST_ALTERNATIVES) &&
    group.filters.every((part) =>
      'filters' in part ? fits(part, depth + 1) : !isPageKey(part.key) && ++conditions <= MOST_CONDITIONS,
    );
  return fits(filters, 1);
}

/** A chunk's own pages hide what its document says under these keys. */
function onPages(
  sql: SqlStorage,
  filter: Filter,
  ofDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  const spans = sql.exec<{ startPage: number; endPage: number }>(
    `SELECT DISTINCT start_page AS startPage, end_page AS endPage FROM content WHERE start_page IS NOT NULL`,
  );
  const matching = [...spans].filter((span) => matchesOne(pageMetadata(span)[filter.key], filter));
  const found = chunksWhere(
    sql,
    '(start_page, end_page) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))',
    JSON.stringify(matching.map(({ startPage, endPage }) => [startPage, endPage])),
  );
  return orOfDocument(sql, { filter, found, without: 'start_page IS NULL' }, ofDocuments);
}

/** A chunk's own path hides what its document says under this key. */
function onMembers(
  sql: SqlStorage,
  filter: Filter,
  ofDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  const paths = sql.exec<{ member: string }>('SELECT DISTINCT member FROM content WHERE member IS NOT NULL');
  const matching = [...paths].map(({ member }) => member).filter((member) => matchesOne(member, filter));
  const found = chunksWhere(sql, 'member IN (SELECT value FROM json_each(?))', JSON.stringify(matching));
  return orOfDocument(sql, { filter, found, without: 'member IS NULL' }, ofDocuments);
}

/** The chunks that were found, and of those `without` a value of their own the ones whose document matches. */
function orOfDocument(
  sql: SqlStorage,
  { filter, found, without }: { filter: Filter; found: Uint8Array; without: string },
  ofDocuments: (filters?: Filters) => Uint8Array,
): Uint8Array {
  const documents = ofDocuments({ condition: 'and', filters: [filter] });
  if (documents.some((byte) => byte !== 0)) {
    const own = combineBits(documents, chunksWhere(sql, without), 'and');
    return combineBits(combineBits(ofDocuments(), found, 'and'), own, 'or');
  }
  return combineBits(ofDocuments(), found, 'and');
}

function chunksWhere(sql: SqlStorage, where: string, ...parameters: string[]): Uint8Array {
  const { locals } = sql
    .exec<{ locals: string }>(
      `SELECT json_group_array(local) AS locals FROM content WHERE ${where}`,
      ...parameters,
    )
    .one();
  return bitsOf(JSON.parse(locals) as number[], MASK_BYTES);
}
