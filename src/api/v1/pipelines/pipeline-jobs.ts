import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { getRun, getRunPage } from '#src/services/pipelines/runs.ts';
import { countItems } from '#src/services/pipelines/sync.ts';
import { presentRun, syncRunBody } from './pipeline-sync.ts';
import { ingestionStatus, ingestionStep, runItems } from './pipelines.schemas.ts';

const STAGES = ['parse', 'chunk', 'embed', 'write'] as const;

const namedRunBody = syncRunBody.extend({ pipeline_name: z.string() }).meta({ id: 'ProjectPipelineJob' });

const runDetailsBody = namedRunBody
  .extend({
    stage_seconds: z
      .record(z.string(), z.number())
      .describe('Seconds of each stage, summed over parallel work.'),
    items: runItems.nullish(),
    failed: z
      .object({
        items: z.array(
          z.object({
            kind: z.enum(['file', 'text']),
            document_id: z.string().describe('Id of the document. For a file, the id of the file.'),
            name: z.string().nullish(),
            reason: z.string(),
            step: ingestionStep,
            failed_at: timestamp.nullish(),
          }),
        ),
        limit: z.number().int(),
        offset: z.number().int(),
        total_count: z.number().int(),
      })
      .describe('Files and documents that failed in this sync and that no later sync has processed.'),
  })
  .meta({ id: 'PipelineJobDetails' });

const tag = 'Sync';

export const pipelineJobOperations = [
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/jobs/{job_id}',
    id: 'getPipelineJob',
    needs: 'read',
    tag,
    summary: 'Read a sync',
    description:
      'Returns the counters and the seconds of each stage of one sync, and the files and documents ' +
      'that failed in it.',
    access: 'resource',
    params: idParams('pipeline_id', 'job_id'),
    query: z.object({
      limit: z.number().int().min(1).max(1000).nullish().describe('Maximum number of failures. Default: 50.'),
      offset: z.number().int().min(0).nullish().describe('Number of failures to skip.'),
    }),
    response: { status: 200, json: runDetailsBody },
    async handle({ ctx, params, query }) {
      const page = { limit: query.limit ?? 50, offset: query.offset ?? 0 };
      const { run, pipelineName, view, failed } = await getRun(ctx, params.pipeline_id, params.job_id, page);
      const counters = view?.counters ?? run.counters;
      const stages = STAGES.map((stage) => [stage, (counters[`${stage}_ms`] ?? 0) / 1000] as const);
      return {
        ...presentRun({ ...run, counters }),
        pipeline_name: pipelineName,
        stage_seconds: Object.fromEntries(stages),
        ...(view && { items: countItems(view) }),
        failed,
      };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipeline-jobs',
    id: 'pagePipelineJobs',
    needs: 'read',
    tag,
    summary: 'List the syncs of a project',
    description: 'Returns one page of the syncs of all pipelines of the project, newest first.',
    access: 'project',
    query: pageQuery.extend({
      page_size: z.number().int().min(1).max(200).nullish().describe('Maximum number of items per page.'),
      pipeline_id: uuid().nullish().describe('Only syncs of this pipeline.'),
      statuses: z.array(ingestionStatus).nullish().describe('Only syncs in one of these states.'),
    }),
    response: { status: 200, json: buildPageSchema(namedRunBody) },
    async handle({ ctx, query }) {
      const page = await getRunPage(ctx, query);
      const items = page.items.map(({ run, pipelineName }) => ({
        ...presentRun(run),
        pipeline_name: pipelineName,
      }));
      return { ...page, items };
    },
  }),
];
