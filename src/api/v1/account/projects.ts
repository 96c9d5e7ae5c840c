import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
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
import { retention, toRetentionView } from '#src/services/retention/settings.ts';

export const projectBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    organization_id: z.uuid(),
    is_default: z.boolean(),
    limits: projectLimits
      .describe('Limits of the project. Null means the default of the installation.')
      .optional(),
    retention: retention.nullish().describe('Null means the default of the installation.'),
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
    retention: toRetentionView(row.retention),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const projects = resource({
  tag: 'Projects',
  collection: { name: 'projects', path: '/api/v1/projects', access: 'organization' },
  item: {
    name: 'a project',
    path: '/api/v1/projects/{project_id}',
    params: idParams('project_id'),
    access: 'organization',
  },
  body: projectBody,
  present: presentProject,
});

export const projectOperations = [
  projects.list({
    id: 'listProjects',
    needs: 'retrieve',
    description:
      'Returns the projects of the organization. With `project_name`, returns only the project of that ' +
      'name.',
    query: z.object({ project_name: z.string().nullish().describe('Exact match.') }),
    run: ({ ctx, query }) => listProjects(ctx, query.project_name),
  }),
  projects.create({
    id: 'createProject',
    needs: 'admin',
    description:
      'Creates an empty project. A project owns its files, pipelines, connections and jobs, and no ' +
      'other project sees them.',
    body: newProject,
    run: ({ ctx, body }) => createProject(ctx, body),
  }),
  projects.upsert({
    id: 'upsertProject',
    needs: 'write',
    summary: 'Create a project, or find it by name',
    description: 'Returns the project of this name, and creates it if there is none.',
    body: newProject,
    run: ({ ctx, body }) => upsertProject(ctx, body),
  }),
  projects.get({
    id: 'getProject',
    needs: 'retrieve',
    description: 'Returns the name of the project, its limits and its retention periods.',
    run: ({ ctx, params }) => getProject(ctx, params.project_id),
  }),
  projects.update({
    id: 'renameProject',
    needs: 'admin',
    description:
      'Changes the name, the limits or the retention periods of the project. Omitted members stay ' +
      'unchanged.',
    body: projectChanges,
    run: ({ ctx, params, body }) => changeProject(ctx, params.project_id, body),
  }),
  projects.delete({
    id: 'deleteProject',
    needs: 'admin',
    description:
      'Deletes the project with its pipelines, files, jobs, connections and keys. This cannot be ' +
      'undone.',
    run: ({ ctx, params }) => deleteProject(ctx, params.project_id),
  }),
];
