import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { presentProject, projectBody } from '#src/api/v1/account/projects.ts';
import { getProject, getProjectPage } from '#src/services/organizations/projects.ts';

const projects = resource({
  tag: 'Projects',
  collection: { name: 'projects in pages', path: '/api/v2/projects', access: 'organization' },
  item: {
    name: 'a project',
    path: '/api/v2/projects/{project_id}',
    params: idParams('project_id'),
    access: 'organization',
  },
  body: projectBody,
  present: presentProject,
});

export const projectV2Operations = [
  projects.page({
    id: 'pageProjects',
    needs: 'read',
    description: 'Returns one page of the projects of the organization, ordered by name.',
    query: pageQuery.extend({ name: z.string().nullish().describe('Exact match.') }),
    run: ({ ctx, query }) => getProjectPage(ctx, query),
  }),
  projects.get({
    id: 'getProjectV2',
    needs: 'read',
    description: 'Returns the name of the project, its limits and its retention periods.',
    run: ({ ctx, params }) => getProject(ctx, params.project_id),
  }),
];
