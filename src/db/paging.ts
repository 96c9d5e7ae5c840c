import { is, SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type CursorPart, decodeCursor, encodeCursor } from '#src/lib/cursor.ts';
import { Invalid } from '#src/lib/errors.ts';

/** Values of the columns by which a list is sorted, taken from one row. */
type Key = readonly (string | number)[];

export interface Page<Item> {
  items: Item[];
  /** Token with which the next page is requested, or null on the last page. The next page is never empty. */
  next_page_token: string | null;
}

export const DEFAULT_PAGE_SIZE = 50;

/**
 * Builds one page of a list from a query for `pageSize + 1` rows. An extra row shows that another page
 * follows. `getKey` returns the values by which the rows are sorted.
 */
export function buildPage<Row>(rows: Row[], pageSize: number, getKey: (row: Row) => Key): Page<Row> {
  const items = rows.slice(0, pageSize);
  const last = items.at(-1);
  const more = rows.length > pageSize && last !== undefined;
  return { items, next_page_token: more ? encodeCursor(getKey(last)) : null };
}

/** Number of rows per query when a whole list is read. */
const ROWS_PER_PAGE = 1000;

/**
 * Yields a whole list in batches, and reads each batch only when it is requested. `read` returns the rows
 * after a sort key. Lists with large rows need fewer `rowsPerPage`.
 */
export async function* iteratePages<Row>(
  read: (after: Key | undefined, limit: number) => Promise<Row[]>,
  getKey: (row: Row) => Key,
  rowsPerPage = ROWS_PER_PAGE,
): AsyncGenerator<Row[]> {
  for (let after: Key | undefined; ; ) {
    const rows = await read(after, rowsPerPage);
    yield rows;
    if (rows.length < rowsPerPage) return;
    after = getKey(rows.at(-1)!);
  }
}

/**
 * Parses a page token. Returns `undefined` for the first page, which has no token. Throws `Invalid` with the
 * location `loc` if the token is malformed.
 */
export function parsePageToken<const Shape extends readonly CursorPart[]>(
  token: string | null | undefined,
  shape: Shape,
  loc: (string | number)[] = ['query', 'page_token'],
): ReturnType<typeof decodeCursor<Shape>> {
  if (!token) return undefined;
  const key = decodeCursor(token, shape);
  if (key) return key;
  const msg = 'Value error, page_token must be the next_page_token of a page of this list';
  throw new Invalid([{ loc, msg, type: 'value_error', input: token }]);
}

/**
 * Returns the SQL condition for rows that follow `key` in the sort order. All columns must be sorted in the
 * same direction. The condition uses a comparison of row values, for which SQLite can use an index. Times in
 * `key` are in milliseconds.
 */
export function afterKey(
  columns: readonly [SQLiteColumn | SQL, ...(SQLiteColumn | SQL)[]],
  key: Key | undefined,
  direction: 'asc' | 'desc',
): SQL | undefined {
  if (!key) return undefined;
  const left = sql.join([...columns], sql`, `);
  const right = sql.join(
    key.map((value) => sql`${value}`),
    sql`, `,
  );
  const follows = direction === 'asc' ? '>' : '<';
  const rows = sql`(${left}) ${sql.raw(follows)} (${right})`;
  // SQLite cannot use an index over an expression when comparing row values. The first column is therefore
  // also compared separately.
  return is(columns[0], SQL) ? sql`${columns[0]} ${sql.raw(`${follows}=`)} ${key[0]} and ${rows}` : rows;
}
