import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { usageOfProject } from '#src/services/organizations/usage.ts';

const totals = z.object({
  jobs: z.number().int(),
  pages: z.number().int(),
  credits: z.number().int(),
});

const moment = z.iso.datetime({ offset: true }).nullish();

export const usageOperations = [
  operation({
    method: 'get',
    path: '/api/v1/usage',
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Pages and credits of the completed jobs of a project',
    access: 'project',
    query: z.object({
      from: moment.describe('From then on.'),
      to: moment.describe('Up to, and not including.'),
    }),
    response: {
      status: 200,
      json: z.object({ total: totals, products: z.record(z.string(), totals) }).meta({ id: 'Usage' }),
    },
    handle: ({ ctx, query }) => usageOfProject(ctx, query),
  }),
];
