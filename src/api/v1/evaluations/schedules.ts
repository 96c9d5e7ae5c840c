import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import type { EvaluationSchedule } from '#src/db/schema/index.ts';
import { METRICS } from '#src/evaluation/metrics.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { newSchedule } from '#src/services/evaluations/schedules/input.ts';
import { deleteSchedule, getSchedule, putSchedule } from '#src/services/evaluations/schedules/schedules.ts';
import { questionSetParams, questionSetPath } from './question-sets.ts';

const tag = 'Evaluations';
const path = `${questionSetPath}/schedule` as const;

const scheduleBody = z
  .object({
    question_set_id: z.uuid(),
    project_id: z.uuid(),
    user_id: z.string().describe('User who saved the schedule, and with whose access rights it searches.'),
    interval_seconds: z.int(),
    pipeline_id: z.uuid().nullish(),
    retriever_id: z.uuid().nullish(),
    target_name: z.string().describe('Name that the pipeline or retriever had when the schedule was saved.'),
    retrieval_parameters: presetRetrievalParameters,
    answer: z.boolean(),
    at_least: z.record(z.string(), z.number()),
    at_most: z.record(z.string(), z.number()),
    metric: z.enum(METRICS),
    webhook_configuration_ids: z.array(z.string()),
    keep_runs: z.int(),
    paused: z.boolean(),
    next_run_at: timestamp.nullish().describe('Start of the next run. Null if the schedule is paused.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'EvaluationSchedule' });

const presentSchedule = (row: EvaluationSchedule): z.input<typeof scheduleBody> => ({
  question_set_id: row.questionSetId,
  project_id: row.projectId,
  user_id: row.userId,
  interval_seconds: row.intervalSeconds,
  pipeline_id: row.pipelineId,
  retriever_id: row.retrieverId,
  target_name: row.targetName,
  retrieval_parameters: presetRetrievalParameters.parse(row.parameters),
  answer: row.hasAnswers,
  at_least: row.limits.at_least,
  at_most: row.limits.at_most,
  metric: z.enum(METRICS).parse(row.limits.metric),
  webhook_configuration_ids: row.limits.webhook_configuration_ids,
  keep_runs: row.keepRuns,
  paused: row.isPaused,
  next_run_at: row.isPaused ? null : row.nextRunAt.toISOString(),
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

export const evaluationScheduleOperations = [
  operation({
    method: 'get',
    path,
    id: 'getEvaluationSchedule',
    needs: 'read',
    tag,
    summary: 'Read the schedule of a question set',
    description: 'Returns how often the set is evaluated, with which limits, and when the next run starts.',
    access: 'resource',
    params: questionSetParams,
    response: { status: 200, json: scheduleBody },
    handle: async ({ ctx, params }) => presentSchedule(await getSchedule(ctx, params.question_set_id)),
  }),
  operation({
    method: 'put',
    path,
    id: 'putEvaluationSchedule',
    needs: 'write',
    tag,
    summary: 'Evaluate a question set regularly',
    description:
      'Creates or replaces the schedule of the set. The first run of a new schedule starts at once. Endpoints receive ' +
      '`evaluation.success` when a run ends, `evaluation.regression` if it misses a limit or is clearly worse than the ' +
      'previous scheduled run, and `evaluation.error` if no question could be evaluated. A project can have 10 ' +
      'schedules.',
    access: 'resource',
    params: questionSetParams,
    body: { json: newSchedule },
    response: { status: 200, json: scheduleBody },
    errors: [409],
    handle: async ({ ctx, params, body }) =>
      presentSchedule(await putSchedule(ctx, params.question_set_id, body)),
  }),
  operation({
    method: 'delete',
    path,
    id: 'deleteEvaluationSchedule',
    needs: 'write',
    tag,
    summary: 'Delete the schedule of a question set',
    description: 'Starts no further runs. Runs that exist stay.',
    access: 'resource',
    params: questionSetParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteSchedule(ctx, params.question_set_id),
  }),
];
