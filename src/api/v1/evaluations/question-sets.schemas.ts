import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { QUESTION_ORIGINS } from '#src/db/schema/index.ts';
import type { ImportResult } from '#src/services/evaluations/add-questions/import-questions.ts';
import type { Collected } from '#src/services/evaluations/collect/collect-questions.ts';
import type { CountedQuestionSet } from '#src/services/evaluations/question-sets.ts';
import type { ShownQuestion } from '#src/services/evaluations/questions.ts';

export const questionSetBody = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    name: z.string(),
    description: z.string().nullish(),
    version: z.int().describe('Increases with each change of the questions.'),
    question_count: z.int(),
    has_schedule: z.boolean().describe('Whether a schedule evaluates the set regularly.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'QuestionSet' });

export const presentQuestionSet = (row: CountedQuestionSet): z.input<typeof questionSetBody> => ({
  id: row.id,
  project_id: row.projectId,
  name: row.name,
  description: row.description,
  version: row.version,
  question_count: row.questionCount,
  has_schedule: row.hasSchedule,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

const relevance = z.int();
/** Expectations of a question, as questions and results of runs show them. */
export const expectationFields = {
  expected_passages: z.array(z.object({ text: z.string(), document_id: z.string().nullish(), relevance })),
  expected_pages: z.array(
    z.object({ document_id: z.string(), page: z.int().describe('Counted from 1.'), relevance }),
  ),
  expected_documents: z.array(z.object({ document_id: z.string(), relevance })),
  expected_answer: z.string().nullish(),
  expects_refusal: z.boolean(),
};

export const presentExpectations = (
  row: Pick<ShownQuestion, 'expectations' | 'expectedAnswer' | 'expectsRefusal'>,
) => ({
  expected_passages: row.expectations.passages,
  expected_pages: row.expectations.pages,
  expected_documents: row.expectations.documents,
  expected_answer: row.expectedAnswer,
  expects_refusal: row.expectsRefusal,
});

const document = z.object({
  document_id: z.string(),
  name: z.string().describe('Name that the document had when the question was last changed.'),
});

export const questionBody = z
  .object({
    id: z.uuid(),
    question_set_id: z.uuid(),
    text: z.string(),
    tags: z.array(z.string()),
    ...expectationFields,
    external_id: z.string().nullish(),
    origin: z.enum(QUESTION_ORIGINS),
    documents: z.array(document).describe('All documents that the question refers to.'),
    is_affected: z
      .boolean()
      .describe('Whether such a document was changed or deleted since the question was last changed.'),
    affected_documents: z.array(document),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Question' });

export const presentQuestion = (row: ShownQuestion): z.input<typeof questionBody> => ({
  id: row.id,
  question_set_id: row.questionSetId,
  text: row.text,
  tags: row.tags,
  ...presentExpectations(row),
  external_id: row.externalId,
  origin: row.origin,
  documents: row.documents.map(({ document_id, name }) => ({ document_id, name })),
  is_affected: row.affectedDocuments.length > 0,
  affected_documents: row.affectedDocuments,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

export const importBody = z
  .object({
    added_count: z.int(),
    replaced_count: z.int().describe('Number of questions that replaced others with the same id.'),
    skipped_count: z
      .int()
      .describe('Number of questions of a BEIR collection without judgements, or without a known document.'),
    unresolved_count: z.int().describe('Number of judgements whose document was not found.'),
    problems: z.array(z.string()).describe('The first 20 of these problems.'),
  })
  .meta({ id: 'QuestionImportResult' });

export const presentImport = (result: ImportResult): z.input<typeof importBody> => ({
  added_count: result.added,
  replaced_count: result.replaced,
  skipped_count: result.skipped,
  unresolved_count: result.unresolved,
  problems: result.problems,
});

export const collectionBody = z
  .object({
    added_count: z.int(),
    skipped: z
      .object({
        no_text: z
          .int()
          .describe(
            'Answers whose question was not recorded, or is too long. `record_text` records questions.',
          ),
        no_citation: z.int().describe('Answers without verified citations.'),
        changed_passage: z
          .int()
          .describe(
            'Answers with a cited passage that was changed or deleted, is redacted, or is not accessible.',
          ),
        already_in_set: z.int().describe('Answers to a question that the set already has.'),
      })
      .describe('Numbers of rated answers that became no question.'),
    next_page_token: z.string().nullish().describe('Present if there are more rated answers.'),
  })
  .meta({ id: 'CollectedQuestions' });

export const presentCollection = ({
  added,
  skipped,
  nextPageToken,
}: Collected): z.input<typeof collectionBody> => ({
  added_count: added.length,
  skipped,
  next_page_token: nextPageToken,
});
