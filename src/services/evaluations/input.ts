import { z } from 'zod';
import { type Expectations, QUESTION_ORIGINS } from '#src/db/schema/index.ts';

/** Maximum number of question sets of a project. */
export const MAX_QUESTION_SETS = 200;
/** Maximum number of questions of a set, and of characters of all its questions together. */
export const MAX_QUESTIONS = 10_000;
export const MAX_SET_CHARACTERS = 10_000_000;
/** Maximum number of questions that one request adds. Imports may add more. */
export const MAX_NEW_QUESTIONS = 1_000;
export const MAX_QUESTION_CHARACTERS = 4_000;
/** Maximum size of the expectations of a question in characters of JSON. */
export const MAX_EXPECTATION_CHARACTERS = 32 * 1024;
const MAX_TAGS = 20;
const MAX_PASSAGES = 50;
const MAX_PAGES = 200;
const MAX_DOCUMENTS = 500;

const relevance = z
  .number()
  .int()
  .min(0)
  .max(100)
  .nullish()
  .describe('Grade of relevance for nDCG. Default: 1. With 0, the item is judged as not relevant.');
const documentId = z
  .string()
  .min(1)
  .max(200)
  .describe('Id of a file, or the id that you gave a text document.');

export const expectedPassage = z.object({
  text: z
    .string()
    .trim()
    .min(1)
    .max(5_000)
    .describe('Text that a retrieved chunk must contain. White space and case are ignored.'),
  document_id: documentId.nullish().describe('If set, only chunks of this document count.'),
  relevance,
});
export const expectedPage = z.object({
  document_id: documentId,
  page: z.number().int().min(1).max(1_000_000).describe('Number of the page, counted from 1.'),
  relevance,
});
export const expectedDocument = z.object({ document_id: documentId, relevance });

const questionFields = {
  text: z.string().trim().min(1).max(MAX_QUESTION_CHARACTERS),
  tags: z
    .array(z.string().trim().min(1).max(100))
    .max(MAX_TAGS)
    .nullish()
    .describe('Results are also averaged for each tag.'),
  expected_passages: z.array(expectedPassage).max(MAX_PASSAGES).nullish(),
  expected_pages: z.array(expectedPage).max(MAX_PAGES).nullish(),
  expected_documents: z.array(expectedDocument).max(MAX_DOCUMENTS).nullish(),
  expected_answer: z
    .string()
    .trim()
    .min(1)
    .max(5_000)
    .nullish()
    .describe('Key content that an answer should contain.'),
  expects_refusal: z
    .boolean()
    .nullish()
    .describe('Whether the documents do not answer the question, so that an answer should say so.'),
};

export const newQuestion = z
  .object({
    ...questionFields,
    external_id: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('Your own id of the question. A new question with the same id replaces the old one.'),
    origin: z.enum(QUESTION_ORIGINS).nullish().describe('How the question was written. Default: `manual`.'),
  })
  .superRefine(checkExpectations);
export type NewQuestion = z.infer<typeof newQuestion>;

export const questionChanges = z.object({ ...questionFields, text: questionFields.text.nullish() });
export type QuestionChanges = z.infer<typeof questionChanges>;

export const newQuestions = z.object({
  questions: z.array(newQuestion).min(1).max(MAX_NEW_QUESTIONS),
});

const name = z.string().trim().min(1).max(200);
const description = z.string().max(2_000).nullish();
export const newQuestionSet = z.object({ name, description });
export type NewQuestionSet = z.infer<typeof newQuestionSet>;
export const questionSetChanges = z.object({ name: name.nullish(), description });
export type QuestionSetChanges = z.infer<typeof questionSetChanges>;

type Expected = Omit<QuestionChanges, 'text'>;

/** Reports expectations that are too large or contradict each other. */
export function checkExpectations(question: Expected, context: z.RefinementCtx): void {
  const expectations = toExpectations(question);
  const hasExpectations = countExpectations(expectations) > 0 || Boolean(question.expected_answer);
  if (question.expects_refusal && hasExpectations) {
    context.addIssue({
      code: 'custom',
      path: ['expects_refusal'],
      message: 'A question that expects a refusal cannot expect passages, pages, documents or an answer',
    });
  }
  if (JSON.stringify(expectations).length > MAX_EXPECTATION_CHARACTERS) {
    context.addIssue({
      code: 'custom',
      message: `The expectations of a question must have at most ${MAX_EXPECTATION_CHARACTERS} characters as JSON`,
    });
  }
}

/** Returns the expectations of a question with all grades of relevance. */
export function toExpectations(question: Expected): Expectations {
  const grade = <Item extends { relevance?: number | null | undefined }>(items: Item[] | null | undefined) =>
    (items ?? []).map((item) => ({ ...item, relevance: item.relevance ?? 1 }));
  return {
    passages: grade(question.expected_passages),
    pages: grade(question.expected_pages),
    documents: grade(question.expected_documents),
  };
}

export const countExpectations = ({ passages, pages, documents }: Expectations): number =>
  passages.length + pages.length + documents.length;
