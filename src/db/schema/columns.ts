import { sql } from 'drizzle-orm';
import { integer, text } from 'drizzle-orm/sqlite-core';

/** UUID primary key, with or without prefix, created by src/lib/ids.ts. */
export const id = () => text().primaryKey();

/** Milliseconds since 1970, read as Date. */
export const moment = () => integer({ mode: 'timestamp_ms' });

const now = sql`(unixepoch('subsec') * 1000)`;
export const createdAt = () => moment().notNull().default(now);
export const updatedAt = () =>
  moment()
    .notNull()
    .default(now)
    .$onUpdate(() => new Date());

export const json = <T>() => text({ mode: 'json' }).$type<T>();
export const flag = () => integer({ mode: 'boolean' });
