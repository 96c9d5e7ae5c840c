import { sql } from 'drizzle-orm';
import { check, index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, json, timestamp, updatedAt } from './columns.ts';
import { pipelines } from './pipelines.ts';
import { retrievers } from './retrievers.ts';
import { projects, users } from './tenancy.ts';

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

/**
 * Responses of the OpenAI protocol that a client asked to store. They belong to the user who asked, and expire.
 * `previousId` is the id of the response that was continued, which may have been deleted since.
 */
export const storedResponses = sqliteTable(
  'stored_responses',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    ...corpus(),
    userId: userId(),
    previousId: text(),
    /** Items of the conversation before the response, with those of earlier responses. */
    input: json<Record<string, unknown>[]>().notNull(),
    response: json<Record<string, unknown>>().notNull(),
    /** Passages that were found for the answer, and that the answer may quote. */
    passages:
      json<{ chunk_id: string; document_id: string; pipeline_id: string; hash: string }[]>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('stored_responses_by_project').on(table.projectId),
    index('stored_responses_by_pipeline').on(table.pipelineId),
    index('stored_responses_by_retriever').on(table.retrieverId),
    index('stored_responses_by_user').on(table.userId, table.id),
    index('stored_responses_by_age').on(table.createdAt),
  ],
);

export type StoredResponse = typeof storedResponses.$inferSelect;

const projectId = () => text().references(() => projects.id, { onDelete: 'cascade' });

/** Settings for traces of a project. Projects without a row record no traces. */
export const traceSettings = sqliteTable('trace_settings', {
  projectId: projectId().primaryKey(),
  /** Share of retrievals and answers that are recorded, from 0 to 1. */
  sampleRate: real().notNull(),
  retentionDays: integer().notNull(),
  /** Whether questions, prompts and answers are stored and exported. */
  recordText: flag().notNull(),
  /** Metadata filter. Texts are not stored if a passage matches the filter. Null matches nothing. */
  redactWhere: json<Record<string, unknown>>(),
  updatedAt: updatedAt(),
});

/** Traces of retrievals and chat answers. Passages are references only, and their texts are read from the index. */
export const traces = sqliteTable(
  'traces',
  {
    /** The id of a chat answer's trace is the id of the answer's message. */
    id: id(),
    projectId: projectId().notNull(),
    kind: text({ enum: ['retrieval', 'chat'] }).notNull(),
    pipelineId: text().references(() => pipelines.id, { onDelete: 'cascade' }),
    retrieverId: text().references(() => retrievers.id, { onDelete: 'cascade' }),
    sessionId: text().references(() => chatSessions.id, { onDelete: 'cascade' }),
    /** User who asked. Null if the user was removed. */
    userId: text().references(() => users.id, { onDelete: 'set null' }),
    /** API key of the request. Null if the request came from a browser that used no key. */
    keyId: text(),
    requestId: text(),
    question: text(),
    durationMs: integer(),
    isRefused: flag().notNull().default(false),
    errorCode: text(),
    /** Everything else as JSON. Null if only feedback was given and the answer was not recorded. */
    details: json<Record<string, unknown>>(),
    rating: text({ enum: ['up', 'down'] }),
    comment: text(),
    ratedAt: timestamp(),
    createdAt: createdAt(),
  },
  (table) => [
    index('traces_by_project').on(table.projectId, table.createdAt, table.id),
    index('traces_by_pipeline').on(table.pipelineId).where(sql`pipeline_id is not null`),
    index('traces_by_retriever').on(table.retrieverId).where(sql`retriever_id is not null`),
    index('traces_by_session').on(table.sessionId).where(sql`session_id is not null`),
    index('traces_by_user').on(table.userId),
    index('traces_with_text').on(table.projectId, table.id).where(sql`details ->> '$.has_text' = 1`),
  ],
);

export type ChatSession = typeof chatSessions.$inferSelect;

export type ChatMessage = typeof chatMessages.$inferSelect;

export type TraceSettings = typeof traceSettings.$inferSelect;

export type TraceRow = typeof traces.$inferSelect;
