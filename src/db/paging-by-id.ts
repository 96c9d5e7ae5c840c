import { and, asc, desc, type SQL } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { Invalid } from '#src/lib/errors.ts';
import { afterKey } from './paging.ts';

/** Part of a list that a client requests by the ids of the items before and after it. */
export interface IdPageQuery {
  limit: number;
  order: 'asc' | 'desc';
  /** Id of the item after which the page begins. */
  after?: string | null | undefined;
  /** Id of the item before which the page ends. */
  before?: string | null | undefined;
}

export interface IdPage<Row> {
  items: Row[];
  /** Whether further items follow in the direction in which the list was read. */
  hasMore: boolean;
}

type Key = readonly (string | number)[];

interface IdList<Row> {
  /** Columns by which the list is sorted. */
  columns: readonly [SQLiteColumn, SQLiteColumn];
  /** Returns the values of these columns for an id, or `undefined` if the list has no such item. */
  findKey(id: string): Promise<Key | undefined>;
  read(where: SQL | undefined, sorted: typeof asc, limit: number): Promise<Row[]>;
}

/**
 * Reads one page of a list whose pages are named by ids. Throws `Invalid` if the list does not contain the id that
 * `after` or `before` names.
 */
export async function readPageById<Row>(query: IdPageQuery, list: IdList<Row>): Promise<IdPage<Row>> {
  const { order, limit } = query;
  const [after, before] = await Promise.all([
    requireKey(list, 'after', query.after),
    requireKey(list, 'before', query.before),
  ]);
  const opposite = order === 'asc' ? 'desc' : 'asc';
  const isBackwards = before !== undefined && after === undefined;
  const where = and(afterKey(list.columns, after, order), afterKey(list.columns, before, opposite));
  const direction = isBackwards ? opposite : order;
  const rows = await list.read(where, direction === 'asc' ? asc : desc, limit + 1);
  const items = rows.slice(0, limit);
  return { items: isBackwards ? items.reverse() : items, hasMore: rows.length > limit };
}

async function requireKey<Row>(
  list: IdList<Row>,
  name: 'after' | 'before',
  id: string | null | undefined,
): Promise<Key | undefined> {
  if (!id) return undefined;
  const key = await list.findKey(id);
  if (key) return key;
  const msg = 'must be the id of an item of this list';
  throw new Invalid([{ loc: ['query', name], msg, type: 'value_error', input: id }]);
}
