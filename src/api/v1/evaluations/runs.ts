import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { METRICS } from '#src/evaluation/metrics.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { compareRuns } from '#src/services/evaluations/compare-runs.ts';
import { deleteRun } from '#src/services/evaluations/delete-run.ts';
import { createRun, newRun } from '#src/services/evaluations/new-run.ts';
import {
  cancelRun,
  getBreakdown,
  getResultPage,
  getRun,
  getRunPage,
} from '#src/services/evaluations/runs.ts';
import { BREAKDOWNS } from '#src/services/evaluations/summary.ts';
import {
  breakdownBody,
  comparisonBody,
  presentComparison,
  presentGroup,
  presentResult,
  presentRun,
  resultBody,
  runBody,
} from './runs.schemas.ts';

const tag = 'Evaluations';
const path = '/api/v1/evaluations/runs';
const runPath = `${path}/{run_id}` as const;
const params = idParams('run_id');
const MAX_PAGE = 100;
const pageSize = z.number().int().min(1).max(MAX_PAGE).nullish();

export const evaluationRunOperations = [
  operation({
    method: 'post',
    path,
    id: 'createEvaluationRun',
    needs: 'write',
    tag,
    summary: 'Start an evaluation run',
    description:
      'Searches a pipeline or retriever with all questions of a set, and measures the results. Returns the run at ' +
      'once. The questions are evaluated afterwards, one after the other. The run uses the questions as they are now. ' +
      'A project can have 100 runs, of which 20 unfinished. Two of them are evaluated at the same time.',
    access: 'resource',
    body: { json: newRun },
    response: { status: 200, json: runBody },
    errors: [404, 409],
    async handle({ ctx, body }) {
      const { id } = await createRun(ctx, body);
      return presentRun(await getRun(ctx, id));
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'listEvaluationRuns',
    needs: 'read',
    tag,
    summary: 'List evaluation runs',
    description: 'Returns one page of the evaluation runs of the project, newest first.',
    access: 'project',
    query: z.object({
      question_set_id: uuid().nullish().describe('Only runs of this question set.'),
      pipeline_id: uuid().nullish().describe('Only runs of this pipeline.'),
      retriever_id: uuid().nullish().describe('Only runs of this retriever.'),
      page_size: pageSize.describe('Maximum number of runs per page.'),
      page_token: pageQuery.shape.page_token,
    }),
    response: { status: 200, json: buildPageSchema(runBody).meta({ id: 'EvaluationRunPage' }) },
    async handle({ ctx, query }) {
      const page = await getRunPage(ctx, query);
      return { ...page, items: page.items.map(presentRun) };
    },
  }),
  operation({
    method: 'get',
    path: runPath,
    id: 'getEvaluationRun',
    needs: 'read',
    tag,
    summary: 'Read an evaluation run',
    description: 'Returns the run with its means. While it runs, they cover the questions evaluated so far.',
    access: 'resource',
    params,
    response: { status: 200, json: runBody },
    handle: async ({ ctx, params }) => presentRun(await getRun(ctx, params.run_id)),
  }),
  operation({
    method: 'get',
    path: `${runPath}/results`,
    id: 'listEvaluationResults',
    needs: 'read',
    tag,
    summary: 'List the results of an evaluation run',
    description: 'Returns one page of the results by question, in the order of the questions.',
    access: 'resource',
    params,
    query: z.object({
      status: z.enum(['pending', 'completed', 'failed']).nullish().describe('Only results with this status.'),
      tag: z.string().nullish().describe('Only questions with this tag.'),
      document_id: z.string().max(200).nullish().describe('Only questions that expect this document.'),
      missed: z
        .boolean()
        .nullish()
        .describe('With true, only questions without an expected result among the first 10.'),
      page_size: pageSize.describe('Maximum number of results per page.'),
      page_token: pageQuery.shape.page_token,
    }),
    response: { status: 200, json: buildPageSchema(resultBody).meta({ id: 'EvaluationResultPage' }) },
    async handle({ ctx, params, query }) {
      const page = await getResultPage(ctx, params.run_id, query);
      return { ...page, items: page.items.map(presentResult) };
    },
  }),
  operation({
    method: 'get',
    path: `${runPath}/breakdown`,
    id: 'getEvaluationBreakdown',
    needs: 'read',
    tag,
    summary: 'Break an evaluation run down',
    description: 'Returns the means for the questions of each tag, or for those that expect each document.',
    access: 'resource',
    params,
    query: z.object({ by: z.enum(BREAKDOWNS).describe('What the questions are grouped by.') }),
    response: { status: 200, json: breakdownBody },
    async handle({ ctx, params, query }) {
      const groups = await getBreakdown(ctx, params.run_id, query.by);
      return { groups: groups.map(presentGroup) };
    },
  }),
  operation({
    method: 'get',
    path: `${runPath}/compare`,
    id: 'compareEvaluationRuns',
    needs: 'read',
    tag,
    summary: 'Compare two evaluation runs',
    description:
      'Compares the run with a baseline, by the questions that both have evaluated. The confidence interval shows ' +
      'whether the difference could be chance.',
    access: 'resource',
    params,
    query: z.object({
      with: uuid().describe('Id of the baseline run.'),
      metric: z.enum(METRICS).nullish().describe('Default: `ndcg@10`.'),
      page_size: pageSize.describe('Maximum number of changed questions per page.'),
      page_token: pageQuery.shape.page_token,
    }),
    response: { status: 200, json: comparisonBody },
    async handle({ ctx, params, query }) {
      const metric = query.metric ?? 'ndcg@10';
      return presentComparison(metric, await compareRuns(ctx, params.run_id, { ...query, metric }));
    },
  }),
  operation({
    method: 'post',
    path: `${runPath}/cancel`,
    id: 'cancelEvaluationRun',
    needs: 'write',
    tag,
    summary: 'Cancel an evaluation run',
    description: 'Stops the run. Results that exist stay. A run that has ended stays as it is.',
    access: 'resource',
    params,
    response: { status: 200, json: runBody },
    handle: async ({ ctx, params }) => presentRun(await cancelRun(ctx, params.run_id)),
  }),
  operation({
    method: 'delete',
    path: runPath,
    id: 'deleteEvaluationRun',
    needs: 'write',
    tag,
    summary: 'Delete an evaluation run',
    description: 'Deletes the run with its results.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteRun(ctx, params.run_id),
  }),
];
