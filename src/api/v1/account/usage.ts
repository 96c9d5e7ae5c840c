import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import type { ModelUsage } from '#src/db/schema/index.ts';
import { getProjectUsage } from '#src/services/organizations/usage.ts';
import { getDailyUsage, MAX_DAYS } from '#src/services/usage/daily.ts';

const totals = z.object({
  jobs: z.number().int(),
  pages: z.number().int(),
  credits: z.number().int(),
});

const moment = z.iso.datetime({ offset: true }).nullish();

const modelUsageBody = z
  .object({
    day: z.iso.date().describe('Day in UTC.'),
    use: z.string(),
    model: z.string(),
    calls: z.number().int(),
    failures: z.number().int().describe('Number of calls that failed or were interrupted.'),
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    estimated: z
      .number()
      .int()
      .describe(
        'Number of calls whose provider reported no token count. Their tokens are estimated from the length of the texts.',
      ),
    seconds: z.number().describe('Total duration of all calls, from the request to the end of the answer.'),
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

const use = (what: string) =>
  z.object({
    used: z.number().int().describe(what),
    limit: z.number().int().nullable().describe('Limit. Null if there is none.'),
  });

const limitsBody = z
  .object({
    files: use('Files that the project holds.'),
    bytes: use('Bytes of these.'),
    pages_per_day: use('Pages of today (UTC) that were indexed or read by jobs.'),
    concurrent_jobs: use('Jobs that are open.').extend({
      waiting: z
        .number()
        .int()
        .describe('Number of open jobs that wait until other jobs of the project have ended.'),
    }),
    daily_tokens: use('Tokens that language models took today (UTC).'),
  })
  .meta({ id: 'LimitUsage' });

const count = (what: string) => z.number().int().describe(what);

const dailyUsageBody = z
  .object({
    start: z.iso.date(),
    end: z.iso.date(),
    days: z.array(
      z.object({
        day: z.iso.date().describe('Day in UTC.'),
        retrievals: count('Queries that pipelines and retrievers answered.'),
        chats: count('Questions that were put.'),
        syncs: count('Runs that ended, whatever came of them.'),
        documents_indexed: count('Files and documents, each time that it was indexed.'),
        documents_failed: count('Files and documents, each time that it failed.'),
        pages_indexed: count('Pages of those that were indexed.'),
        parse_jobs: count('Completed.'),
        extract_jobs: count('Completed.'),
        classify_jobs: count('Completed.'),
        job_pages: count('Pages of these jobs.'),
      }),
    ),
  })
  .meta({ id: 'DailyUsage' });

const day = z.iso.date().nullish();

export const usageOperations = [
  operation({
    method: 'get',
    path: '/api/v1/usage/daily',
    id: 'getDailyUsage',
    needs: 'read',
    tag: 'Usage',
    summary: 'Read the daily usage of a project',
    description:
      'Returns the activity of each day, including days without any. The numbers are for overviews, ' +
      'not for billing.',
    access: 'project',
    query: z.object({
      start: day.describe('First day in UTC. Default: 29 days before the last day.'),
      end: day.describe(`Last day in UTC. Default: today. The range has at most ${MAX_DAYS} days.`),
    }),
    response: { status: 200, json: dailyUsageBody },
    handle: ({ ctx, query }) => getDailyUsage(ctx, query),
  }),
  operation({
    method: 'get',
    path: '/api/v1/usage',
    id: 'getUsage',
    needs: 'read',
    tag: 'Usage',
    summary: 'Read the usage of a project',
    description:
      'Returns the pages and credits of completed jobs, the tokens of language models by day, and how ' +
      'much of each limit of the project is used.',
    access: 'project',
    query: z.object({
      from: moment.describe('Start of the range, inclusive.'),
      to: moment.describe('End of the range, exclusive.'),
    }),
    response: {
      status: 200,
      json: z
        .object({
          total: totals,
          products: z.record(z.string(), totals),
          models: z
            .array(modelUsageBody)
            .describe('Tokens by day, use and model. A day that begins before `to` is included.'),
          limits: limitsBody.optional().describe('Present use of the limits, independent of the range.'),
        })
        .meta({ id: 'Usage' }),
    },
    async handle({ ctx, query }) {
      const { models, ...jobs } = await getProjectUsage(ctx, query);
      return { ...jobs, models: models.map(presentModelUsage) };
    },
  }),
];
