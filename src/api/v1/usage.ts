import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import type { ModelUsage } from '#src/db/schema/index.ts';
import { usageOfProject } from '#src/services/organizations/usage.ts';

const totals = z.object({
  jobs: z.number().int(),
  pages: z.number().int(),
  credits: z.number().int(),
});

const moment = z.iso.datetime({ offset: true }).nullish();

const modelUsageBody = z
  .object({
    day: z.iso.date().describe('Of UTC.'),
    use: z.string(),
    model: z.string(),
    calls: z.number().int(),
    failures: z.number().int().describe('Of the calls: failed, or left in the middle.'),
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    estimated: z
      .number()
      .int()
      .describe('Of the calls: told no count, which is estimated by the length of the texts.'),
    seconds: z.number().describe('From the request to the end of the answer, all calls together.'),
  })
  .meta({ id: 'ModelUsage' });

function presentModelUsage(row: ModelUsage): z.input<typeof modelUsageBody> {
  const { day, use, model, calls, failures, inputTokens, outputTokens, estimated, milliseconds } = row;
  return {
    ...{ day, use, model, calls, failures, estimated },
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    seconds: milliseconds / 1000,
  };
}

export const usageOperations = [
  operation({
    method: 'get',
    path: '/api/v1/usage',
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Pages and credits of the completed jobs of a project, and what its language models took',
    access: 'project',
    query: z.object({
      from: moment.describe('From then on.'),
      to: moment.describe('Up to, and not including.'),
    }),
    response: {
      status: 200,
      json: z
        .object({
          total: totals,
          products: z.record(z.string(), totals),
          models: z
            .array(modelUsageBody)
            .describe('By day, use and model. A day that begins before `to` counts.'),
        })
        .meta({ id: 'Usage' }),
    },
    async handle({ ctx, query }) {
      const { models, ...jobs } = await usageOfProject(ctx, query);
      return { ...jobs, models: models.map(presentModelUsage) };
    },
  }),
];
