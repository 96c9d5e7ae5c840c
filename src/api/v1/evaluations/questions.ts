import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { QUESTION_ORIGINS } from '#src/db/schema/index.ts';
import { generateQuestions, generation } from '#src/services/evaluations/add-questions/generate-questions.ts';
import { importQuestions, questionImport } from '#src/services/evaluations/add-questions/import-questions.ts';
import { collection, collectQuestions } from '#src/services/evaluations/collect/collect-questions.ts';
import { newQuestions, questionChanges } from '#src/services/evaluations/input.ts';
import {
  addQuestions,
  deleteQuestion,
  getQuestionPage,
  updateQuestion,
} from '#src/services/evaluations/questions.ts';
import {
  collectionBody,
  importBody,
  presentCollection,
  presentImport,
  presentQuestion,
  questionBody,
} from './question-sets.schemas.ts';
import { questionSetParams, questionSetPath } from './question-sets.ts';

const tag = 'Evaluations';
const path = `${questionSetPath}/questions` as const;
const questionPath = `${path}/{question_id}` as const;
const questionParams = idParams('question_set_id', 'question_id');

export const questionOperations = [
  operation({
    method: 'get',
    path,
    id: 'listQuestions',
    needs: 'read',
    tag,
    summary: 'List the questions of a set',
    description:
      'Returns one page of the questions in their order. A question is affected if a document that it refers to was ' +
      'changed or deleted since the question was last changed.',
    access: 'resource',
    params: questionSetParams,
    query: pageQuery.extend({
      tag: z.string().nullish().describe('Only questions with this tag.'),
      origin: z.enum(QUESTION_ORIGINS).nullish().describe('Only questions with this origin.'),
      is_affected: z.boolean().nullish().describe('Only affected questions, or only others.'),
    }),
    response: { status: 200, json: buildPageSchema(questionBody).meta({ id: 'QuestionPage' }) },
    async handle({ ctx, params, query }) {
      const page = await getQuestionPage(ctx, params.question_set_id, query);
      return { ...page, items: page.items.map(presentQuestion) };
    },
  }),
  operation({
    method: 'post',
    path,
    id: 'addQuestions',
    needs: 'write',
    tag,
    summary: 'Add questions to a set',
    description:
      'Adds up to 1,000 questions, either all or none, and returns them. A question with an `external_id` that the ' +
      'set already has replaces the old question.',
    access: 'resource',
    params: questionSetParams,
    body: { json: newQuestions },
    response: { status: 200, json: z.object({ questions: z.array(questionBody) }) },
    errors: [409],
    async handle({ ctx, params, body }) {
      const added = await addQuestions(ctx, params.question_set_id, body.questions);
      return { questions: added.map(presentQuestion) };
    },
  }),
  operation({
    method: 'put',
    path: questionPath,
    id: 'updateQuestion',
    needs: 'write',
    tag,
    summary: 'Change a question',
    description:
      'Changes a question. Omitted members stay unchanged, and null removes a member. The question is no longer ' +
      'affected by earlier changes of its documents, also if the request changes nothing else.',
    access: 'resource',
    params: questionParams,
    body: { json: questionChanges },
    response: { status: 200, json: questionBody },
    handle: async ({ ctx, params, body }) =>
      presentQuestion(await updateQuestion(ctx, params.question_set_id, params.question_id, body)),
  }),
  operation({
    method: 'delete',
    path: questionPath,
    id: 'deleteQuestion',
    needs: 'write',
    tag,
    summary: 'Delete a question',
    description: 'Removes the question from the set. Results of earlier runs stay.',
    access: 'resource',
    params: questionParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteQuestion(ctx, params.question_set_id, params.question_id),
  }),
  operation({
    method: 'post',
    path: `${questionSetPath}/import`,
    id: 'importQuestions',
    needs: 'write',
    tag,
    summary: 'Import questions',
    description:
      'Adds questions from CSV, from JSON Lines or from a collection in the format of BEIR, either all or none. ' +
      'Errors name the line and the field. A question whose id the set already has replaces the old question.',
    access: 'resource',
    params: questionSetParams,
    body: { json: questionImport },
    response: { status: 200, json: importBody },
    errors: [409],
    handle: async ({ ctx, params, body }) =>
      presentImport(await importQuestions(ctx, params.question_set_id, body)),
  }),
  operation({
    method: 'post',
    path: `${questionSetPath}/collect`,
    id: 'collectQuestions',
    needs: 'write',
    tag,
    summary: 'Collect questions from rated answers',
    description:
      'Adds the questions of chat answers that were rated `up`, with the cited sentences as expected passages. They have ' +
      'the origin `collected`. Examines up to 50 answers that are not in the set yet: all of the project if you are an ' +
      'admin, otherwise your own. The question and the answer must have been recorded in a trace, or be in one of your ' +
      'own chat sessions.',
    access: 'resource',
    params: questionSetParams,
    body: { json: collection },
    response: { status: 200, json: collectionBody },
    errors: [409, 502],
    handle: async ({ ctx, params, body }) =>
      presentCollection(await collectQuestions(ctx, params.question_set_id, body)),
  }),
  operation({
    method: 'post',
    path: `${questionSetPath}/generate`,
    id: 'generateQuestions',
    needs: 'write',
    tag,
    summary: 'Generate questions',
    description:
      'Adds questions from headings, definitions and table rows of the indexed documents of a pipeline, spread over ' +
      'the documents. With `use_language_model`, the chat model of the project writes them, and questions whose quote is ' +
      'not in its passage are left out. Review the questions, which have the origin `generated`.',
    access: 'resource',
    params: questionSetParams,
    body: { json: generation },
    response: {
      status: 200,
      json: z.object({
        questions: z.array(questionBody),
        model: z
          .string()
          .nullish()
          .describe('Language model that wrote the questions. Null if none was used.'),
      }),
    },
    errors: [409, 502],
    async handle({ ctx, params, body, request }) {
      const { questions, model } = await generateQuestions(ctx, params.question_set_id, body, request.signal);
      return { questions: questions.map(presentQuestion), model };
    },
  }),
];
