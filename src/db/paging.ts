import { is, SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type CursorPart, decodeCursor, encodeCursor } from '#src/lib/cursor.ts';
import { Invalid } from '#src/lib/errors.ts';

/** The values of a row that its list is sorted by. */
type Key = readonly (string | number)[];

export interface Page<Item> {
  items: Item[];
  /** Absent on the last page. A page with a token is never empty, and neither is the one it leads to. */
  next_page_token: string | null;
}

export const DEFAULT_PAGE_SIZE = 50;

/**
 * The page out of a query for `pageSize + 1` rows: the row too many says that there is more, and the key of
 * the last row shown is where it begins. `keyOf` gives the values that the query sorts by.
 */
export function pageOf<Row>(rows: Row[], pageSize: number, keyOf: (row: Row) => Key): Page<Row> {
  const items = rows.slice(0, pageSize);
  const last = items.at(-1);
  const more = rows.length > pageSize && last !== undefined;
  return { items, next_page_token: more ? encodeCursor(keyOf(last)) : null };
}

/** Rows that a list without pages for its callers reads at once. */
const ROWS_PER_PAGE = 1000;

/** A list to its end, page by page, each read when it is asked for. `read` gives the rows that follow `after`. */
export async function* everyPage<Row>(
  read: (after: Key | undefined, limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<Row[]> {
  for (let after: Key | undefined; ; ) {
    const rows = await read(after, ROWS_PER_PAGE);
    yield rows;
    if (rows.length < ROWS_PER_PAGE) return;
    after = keyOf(rows.at(-1)!);
  }
}

/** The key a page starts after; undefined for the first page. A malformed token is `Invalid` at `loc`. */
export function readPageToken<const Shape extends readonly CursorPart[]>(
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
 * Rows that follow `key` in the order of `columns`: all ascending or all descending, as the list sorts. A
 * comparison of row values, which SQLite answers from an index over these columns. Moments are milliseconds.
 */
export function following(
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
  // Of an expression that is indexed SQLite sees no place in the index by a comparison of row values.
  return is(columns[0], SQL) ? sql`${columns[0]} ${sql.raw(`${follows}=`)} ${key[0]} and ${rows}` : rows;
}
