import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, json, updatedAt } from './columns.ts';
import { pipelines } from './pipelines.ts';
import { retrievers } from './retrievers.ts';
import { users } from './tenancy.ts';

/** Pipeline or retriever whose documents a conversation is about. Exactly one of the two ids is set. */
const corpus = () => ({
  pipelineId: text().references(() => pipelines.id, { onDelete: 'cascade' }),
  retrieverId: text().references(() => retrievers.id, { onDelete: 'cascade' }),
});
const userId = () =>
  text()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });

/**
 * Chat sessions of users with a pipeline or retriever. Each row also stores the parameters of the last
 * message.
 */
export const chatSessions = sqliteTable(
  'chat_sessions',
  {
    id: id(),
    ...corpus(),
    userId: userId(),
    /** Whether this is the user's default session. Chats that name no session use the default session. */
    isPlayground: flag().notNull().default(false),
    name: text(),
    llmParamsId: text().notNull(),
    llmParams: json<Record<string, unknown>>(),
    retrievalParamsId: text().notNull(),
    retrievalParams: json<Record<string, unknown>>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check('chat_sessions_ask_one', sql`(pipeline_id is null) <> (retriever_id is null)`),
    uniqueIndex('playground_sessions_once').on(table.pipelineId, table.userId).where(sql`is_playground`),
    uniqueIndex('retriever_playgrounds_once').on(table.retrieverId, table.userId).where(sql`is_playground`),
    index('chat_sessions_by_user').on(table.pipelineId, table.userId, table.updatedAt, table.id),
    index('retriever_chats_by_user').on(table.retrieverId, table.userId, table.updatedAt, table.id),
  ],
);

const sessionId = () =>
  text()
    .notNull()
    .references(() => chatSessions.id, { onDelete: 'cascade' });

export const chatMessages = sqliteTable(
  'chat_messages',
  {
    id: id(),
    sessionId: sessionId(),
    position: integer().notNull(),
    /** Message id that the client chose. */
    clientId: text(),
    /** Id of the question that this answer belongs to. A question has at most one answer. */
    answers: text(),
    role: text().notNull(),
    content: text(),
    annotations: json<{ type: string; data: string }[]>(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('chat_messages_in_order').on(table.sessionId, table.position),
    uniqueIndex('chat_messages_by_client_id').on(table.sessionId, table.clientId),
    uniqueIndex('chat_messages_by_question').on(table.answers),
  ],
);

/**
 * Answers that clients can resume while the answer's Durable Object exists. The id of a row is the name of
 * the Durable Object.
 */
export const chatStreams = sqliteTable(
  'chat_streams',
  {
    id: id(),
    ...corpus(),
    userId: userId(),
    sessionId: sessionId(),
    /** Chat id that the client chose. */
    chatId: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('chat_streams_by_chat').on(table.pipelineId, table.userId, table.chatId, table.id),
    index('retriever_streams_by_chat').on(table.retrieverId, table.userId, table.chatId, table.id),
    index('chat_streams_by_session').on(table.sessionId),
  ],
);

export type ChatSession = typeof chatSessions.$inferSelect;

export type ChatMessage = typeof chatMessages.$inferSelect;
