import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, updatedAt } from '../columns.ts';
import { projects, users } from '../tenancy.ts';

/** What is known about the last answer of a conversation. */
export interface IndexChatRun {
  duration_ms: number;
  is_error: boolean;
  error: string | null;
  total_input_tokens: number | null;
  total_output_tokens: number | null;
  turns: number;
  index_ids: string[];
}

/** Conversations of users with one or several indexes, in the form of LlamaCloud's session chat. */
export const indexChats = sqliteTable(
  'index_chats',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Pipelines to which the conversation is bound. Null if each question names its own. */
    indexIds: json<string[]>(),
    /** Title from the first question. Null before it. */
    title: text(),
    lastRun: json<IndexChatRun>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('index_chats_by_user').on(table.projectId, table.userId, table.createdAt, table.id),
    index('index_chats_by_owner').on(table.userId),
  ],
);

/** Questions of such conversations with the events of their answers. */
export const indexChatTurns = sqliteTable(
  'index_chat_turns',
  {
    /** Ids increase over time, so that they order the turns of a conversation. */
    id: id(),
    chatId: text()
      .notNull()
      .references(() => indexChats.id, { onDelete: 'cascade' }),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Pipelines that were searched, and that the events may quote. */
    indexIds: json<string[]>().notNull(),
    events: json<Record<string, unknown>[]>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('index_chat_turns_in_order').on(table.chatId, table.id),
    index('index_chat_turns_by_project').on(table.projectId),
  ],
);

export type IndexChat = typeof indexChats.$inferSelect;
export type IndexChatTurn = typeof indexChatTurns.$inferSelect;
