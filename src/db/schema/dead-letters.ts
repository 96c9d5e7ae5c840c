import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json } from './columns.ts';

/**
 * Queue messages that failed on every attempt, stored until an operator sends them again. A message contains
 * only the ids of its work.
 */
export const deadLetters = sqliteTable(
  'dead_letters',
  {
    /**
     * Derived from the id of the message in the dead letter queue, because the queue may deliver a message
     * twice.
     */
    id: id(),
    type: text().notNull(),
    message: json<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('dead_letters_by_arrival').on(table.createdAt, table.id)],
);

export type DeadLetter = typeof deadLetters.$inferSelect;
