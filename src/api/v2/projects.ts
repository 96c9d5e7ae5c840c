import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, pageOf, pageQuery } from '#src/api/schemas.ts';
import { presentProject, projectBody } from '#src/api/v1/projects.ts';
import { getProject, pageProjects } from '#src/services/organizations/projects.ts';

const tag = 'Projects';

export const projectV2Operations = [
  operation({
    method: 'get',
    path: '/api/v2/projects',
    id: 'pageProjects',
    tag,
    summary: 'List projects in pages',
    description: 'Returns one page of the projects of the organization, ordered by name.',
    access: 'organization',
    query: pageQuery.extend({ name: z.string().nullish().describe('Matches exactly.') }),
    response: { status: 200, json: pageOf(projectBody) },
    async handle({ ctx, query }) {
      const { items, next_page_token } = await pageProjects(ctx, query);
      return { items: items.map(presentProject), next_page_token };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/projects/{project_id}',
    id: 'getProjectV2',
    tag,
    summary: 'Read a project',
    description: 'Returns the name of the project, its limits and its retention periods.',
    access: 'organization',
    params: idParams('project_id'),
    response: { status: 200, json: projectBody },
    handle: async ({ ctx, params }) => presentProject(await getProject(ctx, params.project_id)),
  }),
];
