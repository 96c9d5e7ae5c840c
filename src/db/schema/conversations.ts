import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, updatedAt } from '#src/db/columns.ts';
import { pipelines } from './pipelines.ts';
import { users } from './tenancy.ts';

/** One conversation per user and pipeline, with the parameters last used in it. */
export const playgroundSessions = sqliteTable(
  'playground_sessions',
  {
    id: id(),
    pipelineId: text()
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    llmParamsId: text().notNull(),
    llmParams: json<Record<string, unknown>>(),
    retrievalParamsId: text().notNull(),
    retrievalParams: json<Record<string, unknown>>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex('playground_sessions_once').on(table.pipelineId, table.userId)],
);

export const chatMessages = sqliteTable(
  'chat_messages',
  {
    id: id(),
    sessionId: text()
      .notNull()
      .references(() => playgroundSessions.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    role: text().notNull(),
    content: text(),
    annotations: json<{ type: string; data: string }[]>(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('chat_messages_in_order').on(table.sessionId, table.position)],
);

export type PlaygroundSession = typeof playgroundSessions.$inferSelect;

export type ChatMessage = typeof chatMessages.$inferSelect;
