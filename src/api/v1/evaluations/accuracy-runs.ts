import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { TRUTH_KINDS } from '#src/db/schema/index.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { compareAccuracyRuns, FILE_METRICS } from '#src/services/evaluations/accuracy/compare-runs.ts';
import { newAccuracyRun } from '#src/services/evaluations/accuracy/input.ts';
import { createAccuracyRun } from '#src/services/evaluations/accuracy/new-run.ts';
import {
  cancelAccuracyRun,
  deleteAccuracyRun,
  getAccuracyReport,
  getAccuracyResultPage,
  getAccuracyRun,
  getAccuracyRunPage,
} from '#src/services/evaluations/accuracy/runs.ts';
import {
  accuracyComparisonBody,
  accuracyResultBody,
  accuracyRunBody,
  presentAccuracyComparison,
  presentAccuracyResult,
  presentAccuracyRun,
  presentReport,
  reportBody,
} from './accuracy-runs.schemas.ts';

const tag = 'Evaluations';
const path = '/api/v1/evaluations/accuracy-runs';
const runPath = `${path}/{run_id}` as const;
const params = idParams('run_id');
const MAX_PAGE = 100;
const pageSize = z.number().int().min(1).max(MAX_PAGE).nullish();

export const accuracyRunOperations = [
  operation({
    method: 'post',
    path,
    id: 'createAccuracyRun',
    needs: 'write',
    tag,
    summary: 'Measure an extraction or classification',
    description:
      'Extracts from or classifies all files of a truth set, and compares the results with the truths. Returns the ' +
      'run at once. The files are evaluated afterwards, one after the other, and their pages count as those of jobs. ' +
      'A project can have 100 runs, of which 20 unfinished. Two runs of a project are evaluated at the same time.',
    access: 'resource',
    body: { json: newAccuracyRun },
    response: { status: 200, json: accuracyRunBody },
    errors: [400, 404, 409],
    async handle({ ctx, body }) {
      const id = await createAccuracyRun(ctx, body);
      return presentAccuracyRun(await getAccuracyRun(ctx, id));
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'listAccuracyRuns',
    needs: 'read',
    tag,
    summary: 'List accuracy runs',
    description: 'Returns one page of the accuracy runs of the project, newest first.',
    access: 'project',
    query: z.object({
      truth_set_id: uuid().nullish().describe('Only runs of this truth set.'),
      kind: z.enum(TRUTH_KINDS).nullish().describe('Only runs of this kind.'),
      page_size: pageSize.describe('Maximum number of runs per page.'),
      page_token: pageQuery.shape.page_token,
    }),
    response: { status: 200, json: buildPageSchema(accuracyRunBody).meta({ id: 'AccuracyRunPage' }) },
    async handle({ ctx, query }) {
      const page = await getAccuracyRunPage(ctx, query);
      return { ...page, items: page.items.map(presentAccuracyRun) };
    },
  }),
  operation({
    method: 'get',
    path: runPath,
    id: 'getAccuracyRun',
    needs: 'read',
    tag,
    summary: 'Read an accuracy run',
    description: 'Returns the run with its measures. While it runs, they cover the files evaluated so far.',
    access: 'resource',
    params,
    response: { status: 200, json: accuracyRunBody },
    handle: async ({ ctx, params }) => presentAccuracyRun(await getAccuracyRun(ctx, params.run_id)),
  }),
  operation({
    method: 'get',
    path: `${runPath}/report`,
    id: 'getAccuracyReport',
    needs: 'read',
    tag,
    summary: 'Read the measures of an accuracy run',
    description:
      'Returns precision, recall, F1 and calibration of each field of an extraction, or of each type of a ' +
      'classification with its confusion matrix. Results of files that were deleted since are left out.',
    access: 'resource',
    params,
    response: { status: 200, json: reportBody },
    async handle({ ctx, params }) {
      const { run, report } = await getAccuracyReport(ctx, params.run_id);
      return presentReport(run, report);
    },
  }),
  operation({
    method: 'get',
    path: `${runPath}/results`,
    id: 'listAccuracyResults',
    needs: 'read',
    tag,
    summary: 'List the results of an accuracy run',
    description: 'Returns one page of the results by file, in the order of the file names.',
    access: 'resource',
    params,
    query: z.object({
      status: z.enum(['pending', 'completed', 'failed']).nullish().describe('Only results with this status.'),
      is_correct: z.boolean().nullish().describe('Only files without any error, or only others.'),
      field: z.string().min(1).max(400).nullish().describe('Only files with an error in this field.'),
      page_size: pageSize.describe('Maximum number of results per page.'),
      page_token: pageQuery.shape.page_token,
    }),
    response: { status: 200, json: buildPageSchema(accuracyResultBody).meta({ id: 'AccuracyResultPage' }) },
    async handle({ ctx, params, query }) {
      const page = await getAccuracyResultPage(ctx, params.run_id, query);
      return { ...page, items: page.items.map(presentAccuracyResult) };
    },
  }),
  operation({
    method: 'get',
    path: `${runPath}/compare`,
    id: 'compareAccuracyRuns',
    needs: 'read',
    tag,
    summary: 'Compare two accuracy runs',
    description:
      'Compares the run with a baseline of the same kind, by the files that both have evaluated. The confidence ' +
      'interval shows whether the difference could be chance.',
    access: 'resource',
    params,
    query: z.object({
      with: uuid().describe('Id of the baseline run.'),
      metric: z
        .enum(FILE_METRICS)
        .nullish()
        .describe('Default: `f1` of an extraction, `accuracy` of a classification.'),
      field: z
        .string()
        .min(1)
        .max(400)
        .nullish()
        .describe('Field of an extraction whose F1 is compared, instead of that of all fields.'),
      page_size: pageSize.describe('Maximum number of changed files per page.'),
      page_token: pageQuery.shape.page_token,
    }),
    response: { status: 200, json: accuracyComparisonBody },
    handle: async ({ ctx, params, query }) =>
      presentAccuracyComparison(await compareAccuracyRuns(ctx, params.run_id, query)),
  }),
  operation({
    method: 'post',
    path: `${runPath}/cancel`,
    id: 'cancelAccuracyRun',
    needs: 'write',
    tag,
    summary: 'Cancel an accuracy run',
    description: 'Stops the run. Results that exist stay. A run that has ended stays as it is.',
    access: 'resource',
    params,
    response: { status: 200, json: accuracyRunBody },
    handle: async ({ ctx, params }) => presentAccuracyRun(await cancelAccuracyRun(ctx, params.run_id)),
  }),
  operation({
    method: 'delete',
    path: runPath,
    id: 'deleteAccuracyRun',
    needs: 'write',
    tag,
    summary: 'Delete an accuracy run',
    description: 'Deletes the run with its results.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteAccuracyRun(ctx, params.run_id),
  }),
];
