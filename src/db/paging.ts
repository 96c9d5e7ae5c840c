import { is, SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type CursorPart, decodeCursor, encodeCursor } from '#src/lib/cursor.ts';
import { Invalid } from '#src/lib/errors.ts';

/** Values by which a list sorts a row. */
type Key = readonly (string | number)[];

export interface Page<Item> {
  items: Item[];
  /** Null on the last page. A page with a token is never empty, and neither is the next one. */
  next_page_token: string | null;
}

export const DEFAULT_PAGE_SIZE = 50;

/**
 * Builds a page from a query for `pageSize + 1` rows. The extra row shows that more follow. `keyOf` returns
 * the values by which the query sorts.
 */
export function pageOf<Row>(rows: Row[], pageSize: number, keyOf: (row: Row) => Key): Page<Row> {
  const items = rows.slice(0, pageSize);
  const last = items.at(-1);
  const more = rows.length > pageSize && last !== undefined;
  return { items, next_page_token: more ? encodeCursor(keyOf(last)) : null };
}

/** Rows per read of a list that callers receive as a whole. */
const ROWS_PER_PAGE = 1000;

/** Yields a whole list page by page, lazily. `read` returns the rows after a key. */
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

/**
 * Parses a page token. Returns undefined without a token, for the first page. A malformed token throws
 * `Invalid` at `loc`.
 */
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
 * Condition for the rows after `key` in the order of `columns`, all ascending or all descending. It compares
 * row values, which SQLite answers from an index over these columns. Times are in milliseconds.
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
  // SQLite does not use an indexed expression in a comparison of row values, so it is compared separately as
  // well.
  return is(columns[0], SQL) ? sql`${columns[0]} ${sql.raw(`${follows}=`)} ${key[0]} and ${rows}` : rows;
}
