import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, json, updatedAt } from '../columns.ts';
import { projects } from '../tenancy.ts';

/** Text that a retrieved chunk must contain. With a document id, only chunks of this document count. */
export interface ExpectedPassage {
  text: string;
  document_id?: string | null | undefined;
  relevance: number;
}

/** Page that a retrieved chunk must be on. Pages are counted from 1. */
export interface ExpectedPage {
  document_id: string;
  page: number;
  relevance: number;
}

/** File or text document that must be retrieved. */
export interface ExpectedDocument {
  document_id: string;
  relevance: number;
}

/** Results that retrieval should find for a question. All lists may be empty. */
export interface Expectations {
  passages: ExpectedPassage[];
  pages: ExpectedPage[];
  documents: ExpectedDocument[];
}

/**
 * Content of an expected document when the question was written. Several pipelines may contain different texts
 * under one document id, so there may be several content hashes.
 */
export interface DocumentRevision {
  document_id: string;
  kind: 'file' | 'text';
  name: string;
  hashes: string[];
}

export const QUESTION_ORIGINS = ['manual', 'imported', 'collected', 'generated'] as const;
export type QuestionOrigin = (typeof QUESTION_ORIGINS)[number];

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/** Sets of questions with the results that retrieval should find for them. */
export const questionSets = sqliteTable(
  'question_sets',
  {
    id: id(),
    projectId: projectId(),
    name: text().notNull(),
    description: text(),
    /** Number that increases with each change of the questions, counted from 1. */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('question_sets_by_name').on(table.projectId, table.name),
    index('question_sets_by_project').on(table.projectId, table.createdAt, table.id),
  ],
);

/** Columns that a question shares with the results of runs. */
export const questionFields = () => ({
  text: text().notNull(),
  tags: json<string[]>().notNull(),
  expectations: json<Expectations>().notNull(),
  /** Key content that an answer should contain. */
  expectedAnswer: text(),
  /** Whether the documents do not answer the question, so that an answer should say so. */
  expectsRefusal: flag().notNull(),
});

export const questions = sqliteTable(
  'questions',
  {
    id: id(),
    projectId: projectId(),
    questionSetId: text()
      .notNull()
      .references(() => questionSets.id, { onDelete: 'cascade' }),
    /** Position in the set. Deleted questions leave gaps. */
    position: integer().notNull(),
    /** Id that an import gave the question. A later import with the same id replaces the question. */
    externalId: text(),
    ...questionFields(),
    origin: text({ enum: QUESTION_ORIGINS }).notNull(),
    documents: json<DocumentRevision[]>().notNull(),
    /** Size of the question in characters, by which the size of a set is limited. */
    characterCount: integer().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('questions_by_set').on(table.questionSetId, table.position, table.id),
    index('questions_by_project').on(table.projectId, table.questionSetId, table.position, table.id),
    uniqueIndex('questions_by_external_id')
      .on(table.questionSetId, table.externalId)
      .where(sql`external_id is not null`),
  ],
);

export type QuestionSet = typeof questionSets.$inferSelect;
export type Question = typeof questions.$inferSelect;
