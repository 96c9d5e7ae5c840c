import { sql } from 'drizzle-orm';
import { integer, text } from 'drizzle-orm/sqlite-core';

/** UUID primary key, with or without a prefix, created by src/lib/ids.ts. */
export const id = () => text().primaryKey();

/** Time in milliseconds since 1970-01-01 UTC. The database library drizzle converts it to a `Date`. */
export const timestamp = () => integer({ mode: 'timestamp_ms' });

const now = sql`(unixepoch('subsec') * 1000)`;
export const createdAt = () => timestamp().notNull().default(now);
export const updatedAt = () =>
  timestamp()
    .notNull()
    .default(now)
    .$onUpdate(() => new Date());

export const json = <T>() => text({ mode: 'json' }).$type<T>();
export const flag = () => integer({ mode: 'boolean' });
