import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { newQuestionSet, questionSetChanges } from '#src/services/evaluations/input.ts';
import {
  createQuestionSet,
  deleteQuestionSet,
  getQuestionSet,
  getQuestionSetPage,
  updateQuestionSet,
} from '#src/services/evaluations/question-sets.ts';
import { presentQuestionSet, questionSetBody } from './question-sets.schemas.ts';

export const questionSetsPath = '/api/v1/evaluations/question-sets';
export const questionSetPath = `${questionSetsPath}/{question_set_id}` as const;
export const questionSetParams = idParams('question_set_id');

const sets = resource({
  tag: 'Evaluations',
  collection: { name: 'question sets', path: questionSetsPath, access: 'project' },
  item: { name: 'a question set', path: questionSetPath, params: questionSetParams, access: 'resource' },
  body: questionSetBody,
  present: presentQuestionSet,
});

export const questionSetOperations = [
  sets.page({
    id: 'listQuestionSets',
    needs: 'read',
    description: 'Returns one page of the question sets of the project, newest first.',
    query: pageQuery.extend({ name: z.string().nullish().describe('Exact match.') }),
    pageId: 'QuestionSetPage',
    run: ({ ctx, query }) => getQuestionSetPage(ctx, query),
  }),
  sets.create({
    id: 'createQuestionSet',
    needs: 'write',
    description:
      'Creates an empty set of questions. Its name is unique in the project. A project can have at most 200 sets.',
    body: newQuestionSet,
    errors: [409],
    run: ({ ctx, body }) => createQuestionSet(ctx, body),
  }),
  sets.get({
    id: 'getQuestionSet',
    needs: 'read',
    description: 'Returns the set with the number of its questions, without the questions.',
    run: ({ ctx, params }) => getQuestionSet(ctx, params.question_set_id),
  }),
  sets.update({
    id: 'updateQuestionSet',
    needs: 'write',
    description: 'Changes the name or the description. The version of the set stays the same.',
    body: questionSetChanges,
    errors: [409],
    run: ({ ctx, params, body }) => updateQuestionSet(ctx, params.question_set_id, body),
  }),
  sets.delete({
    id: 'deleteQuestionSet',
    needs: 'write',
    description: 'Deletes the set with its questions, and with all runs that evaluated it.',
    run: ({ ctx, params }) => deleteQuestionSet(ctx, params.question_set_id),
  }),
];
