import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, timestamp } from '#src/api/schemas.ts';
import type { Project } from '#src/db/schema/index.ts';
import { projectLimits } from '#src/services/limits/limits.ts';
import {
  changeProject,
  createProject,
  deleteProject,
  getProject,
  listProjects,
  newProject,
  projectChanges,
  upsertProject,
} from '#src/services/organizations/projects.ts';
import { retention, shownRetention } from '#src/services/retention/settings.ts';

export const projectBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    organization_id: z.uuid(),
    is_default: z.boolean(),
    limits: projectLimits.describe('Its own; what is null is the default of the installation.').optional(),
    retention: retention.nullish().describe('Null: as the installation says.'),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'Project' });

export function presentProject(row: Project): z.input<typeof projectBody> {
  return {
    id: row.id,
    name: row.name,
    organization_id: row.organizationId,
    is_default: row.isDefault,
    ...(row.limits && { limits: row.limits }),
    retention: shownRetention(row.retention),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const params = idParams('project_id');
const tag = 'Projects';
const path = '/api/v1/projects';
const response = { status: 200, json: projectBody } as const;

export const projectOperations = [
  operation({
    method: 'get',
    path,
    id: 'listProjects',
    tag,
    summary: 'List projects',
    description:
      'Returns the projects of the organization. With `project_name`, returns only the project of that ' +
      'name.',
    access: 'organization',
    query: z.object({ project_name: z.string().nullish().describe('Exactly.') }),
    response: { status: 200, json: z.array(projectBody) },
    handle: async ({ ctx, query }) => (await listProjects(ctx, query.project_name)).map(presentProject),
  }),
  operation({
    method: 'post',
    path,
    id: 'createProject',
    tag,
    summary: 'Create a project',
    description:
      'Creates an empty project. A project owns its files, pipelines, connections and jobs, and no ' +
      'other project sees them.',
    access: 'organization',
    body: { json: newProject },
    response,
    handle: async ({ ctx, body }) => presentProject(await createProject(ctx, body)),
  }),
  operation({
    method: 'put',
    path,
    id: 'upsertProject',
    tag,
    summary: 'Create a project, or find it by name',
    description: 'Returns the project of this name, and creates it if there is none.',
    access: 'organization',
    body: { json: newProject },
    response,
    handle: async ({ ctx, body }) => presentProject(await upsertProject(ctx, body)),
  }),
  operation({
    method: 'get',
    path: `${path}/{project_id}`,
    id: 'getProject',
    tag,
    summary: 'Read a project',
    description: 'Returns the name of the project, its limits and its retention periods.',
    access: 'organization',
    params,
    response,
    handle: async ({ ctx, params }) => presentProject(await getProject(ctx, params.project_id)),
  }),
  operation({
    method: 'put',
    path: `${path}/{project_id}`,
    id: 'renameProject',
    tag,
    summary: 'Update a project',
    description:
      'Changes the name, the limits or the retention periods of the project. Omitted members stay as ' +
      'they are.',
    access: 'organization',
    params,
    body: { json: projectChanges },
    response,
    handle: async ({ ctx, params, body }) =>
      presentProject(await changeProject(ctx, params.project_id, body)),
  }),
  operation({
    method: 'delete',
    path: `${path}/{project_id}`,
    id: 'deleteProject',
    tag,
    summary: 'Delete a project',
    description:
      'Deletes the project with its pipelines, files, jobs, connections and keys. This cannot be ' +
      'undone.',
    access: 'organization',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteProject(ctx, params.project_id),
  }),
];
