import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json } from './columns.ts';

/**
 * Queue messages that failed on every attempt. They are stored until an operator sends them again. Each
 * message contains only ids of the work to do.
 */
export const deadLetters = sqliteTable(
  'dead_letters',
  {
    /**
     * Id derived from the message's id in the dead letter queue. A message that is delivered twice is
     * therefore stored once.
     */
    id: id(),
    type: text().notNull(),
    message: json<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('dead_letters_by_arrival').on(table.createdAt, table.id)],
);

export type DeadLetter = typeof deadLetters.$inferSelect;
