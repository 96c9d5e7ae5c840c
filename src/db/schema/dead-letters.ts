import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json } from './columns.ts';

/** Messages that failed every time they were delivered, until an operator has them sent again. They name work only. */
export const deadLetters = sqliteTable(
  'dead_letters',
  {
    /** Follows from the message's id in the queue of last resort, which may deliver it twice. */
    id: id(),
    type: text().notNull(),
    message: json<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('dead_letters_by_arrival').on(table.createdAt, table.id)],
);

export type DeadLetter = typeof deadLetters.$inferSelect;
