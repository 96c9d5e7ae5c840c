import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json } from './columns.ts';

/**
 * Messages that failed on every attempt, until an operator sends them again. A message only contains the ids
 * of its work.
 */
export const deadLetters = sqliteTable(
  'dead_letters',
  {
    /** Derived from the message's id in the dead letter queue, which may deliver it twice. */
    id: id(),
    type: text().notNull(),
    message: json<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('dead_letters_by_arrival').on(table.createdAt, table.id)],
);

export type DeadLetter = typeof deadLetters.$inferSelect;
