import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, json, timestamp, updatedAt } from './columns.ts';
import { chatSessions } from './conversations.ts';
import { pipelines } from './pipelines.ts';
import { retrievers } from './retrievers.ts';
import { projects, users } from './tenancy.ts';

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
  ],
);

export type TraceSettings = typeof traceSettings.$inferSelect;

export type TraceRow = typeof traces.$inferSelect;
