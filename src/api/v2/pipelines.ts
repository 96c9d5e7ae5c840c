import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery } from '#src/api/operation/schemas.ts';
import { pipelineBody } from '#src/api/v1/pipelines/pipelines.schemas.ts';
import { presentPipelines } from '#src/api/v1/pipelines/pipelines.ts';
import { pipelineType } from '#src/services/pipelines/input.ts';
import { getPipelinePage } from '#src/services/pipelines/lists.ts';

export const pipelineV2Operations = [
  operation({
    method: 'get',
    path: '/api/v2/pipelines',
    id: 'listPipelines',
    needs: 'retrieve',
    tag: 'Pipelines',
    summary: 'List pipelines in pages',
    description: 'Returns one page of the pipelines of the project, newest first.',
    access: 'project',
    query: pageQuery.extend({
      name: z.string().nullish().describe('Exact match.'),
      pipeline_type: pipelineType.nullish().describe('Only pipelines of this type.'),
    }),
    response: { status: 200, json: buildPageSchema(pipelineBody) },
    async handle({ ctx, query }) {
      const page = await getPipelinePage(ctx, query);
      return { ...page, items: await presentPipelines(ctx, page.items) };
    },
  }),
];
