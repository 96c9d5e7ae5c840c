import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { newSweep } from '#src/services/evaluations/sweeps/input.ts';
import { createSweep } from '#src/services/evaluations/sweeps/new-sweep.ts';
import { cancelSweep, deleteSweep, getSweep, getSweepPage } from '#src/services/evaluations/sweeps/sweeps.ts';
import { presentSweep, sweepBody } from './sweeps.schemas.ts';

const tag = 'Evaluations';
const path = '/api/v1/evaluations/sweeps';
const sweepPath = `${path}/{sweep_id}` as const;
const params = idParams('sweep_id');

export const sweepOperations = [
  operation({
    method: 'post',
    path,
    id: 'createEvaluationSweep',
    needs: 'write',
    tag,
    summary: 'Search for better settings',
    description:
      'Tries all combinations of the given settings with one half of the questions, and compares the best ones with ' +
      'the current settings on the other half. Each round keeps the better half of the settings and uses twice as many ' +
      'questions. Returns the sweep at once. It searches with one question after the other. The pipeline does not ' +
      'change. A project can have 100 sweeps, of which 2 unfinished.',
    access: 'resource',
    body: { json: newSweep },
    response: { status: 200, json: sweepBody },
    errors: [400, 404, 409],
    async handle({ ctx, body }) {
      const id = await createSweep(ctx, body);
      return presentSweep(await getSweep(ctx, id));
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'listEvaluationSweeps',
    needs: 'read',
    tag,
    summary: 'List sweeps',
    description: 'Returns one page of the sweeps of the project, newest first.',
    access: 'project',
    query: z.object({
      question_set_id: uuid().nullish().describe('Only sweeps of this question set.'),
      page_size: z.number().int().min(1).max(100).nullish().describe('Maximum number of sweeps per page.'),
      page_token: pageQuery.shape.page_token,
    }),
    response: { status: 200, json: buildPageSchema(sweepBody).meta({ id: 'EvaluationSweepPage' }) },
    async handle({ ctx, query }) {
      const page = await getSweepPage(ctx, query);
      return { ...page, items: page.items.map(presentSweep) };
    },
  }),
  operation({
    method: 'get',
    path: sweepPath,
    id: 'getEvaluationSweep',
    needs: 'read',
    tag,
    summary: 'Read a sweep',
    description: 'Returns the sweep with its progress, the rounds that have ended, and the result.',
    access: 'resource',
    params,
    response: { status: 200, json: sweepBody },
    handle: async ({ ctx, params }) => presentSweep(await getSweep(ctx, params.sweep_id)),
  }),
  operation({
    method: 'post',
    path: `${sweepPath}/cancel`,
    id: 'cancelEvaluationSweep',
    needs: 'write',
    tag,
    summary: 'Cancel a sweep',
    description:
      'Stops the sweep and deletes its copies of the pipeline. Rounds that have ended stay. A sweep that has ended ' +
      'stays as it is.',
    access: 'resource',
    params,
    response: { status: 200, json: sweepBody },
    handle: async ({ ctx, params }) => presentSweep(await cancelSweep(ctx, params.sweep_id)),
  }),
  operation({
    method: 'delete',
    path: sweepPath,
    id: 'deleteEvaluationSweep',
    needs: 'write',
    tag,
    summary: 'Delete a sweep',
    description: 'Deletes the sweep with its results and its copies of the pipeline.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteSweep(ctx, params.sweep_id),
  }),
];
