import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, timestamp } from '#src/api/schemas.ts';
import type { Organization } from '#src/db/schema/index.ts';
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  newOrganization,
  renameOrganization,
} from '#src/services/organizations/organizations.ts';

export const organizationBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'Organization' });

export function presentOrganization(row: Organization): z.input<typeof organizationBody> {
  return {
    id: row.id,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const params = idParams('organization_id');
const tag = 'Organizations';
const path = '/api/v1/organizations';
const response = { status: 200, json: organizationBody } as const;

export const organizationOperations = [
  operation({
    method: 'get',
    path,
    id: 'listOrganizations',
    tag,
    summary: 'List organizations',
    description: 'Returns the organizations that the caller is a member of.',
    access: 'resource',
    response: { status: 200, json: z.array(organizationBody) },
    handle: async ({ ctx }) => (await listOrganizations(ctx)).map(presentOrganization),
  }),
  operation({
    method: 'post',
    path,
    id: 'createOrganization',
    tag,
    summary: 'Create an organization',
    description: 'Creates the organization with a default project. The caller becomes its admin.',
    access: 'resource',
    body: { json: newOrganization },
    response,
    handle: async ({ ctx, body }) => presentOrganization(await createOrganization(ctx, body)),
  }),
  operation({
    method: 'get',
    path: `${path}/default`,
    id: 'getDefaultOrganization',
    tag,
    summary: 'Read the default organization',
    description:
      'Returns the organization in which requests without a scope act: the organization of the API key.',
    access: 'resource',
    response,
    handle: async ({ ctx }) => presentOrganization(await getOrganization(ctx, ctx.organizationId)),
  }),
  operation({
    method: 'get',
    path: `${path}/{organization_id}`,
    id: 'getOrganization',
    tag,
    summary: 'Read an organization',
    description: 'Returns the name of the organization and when it was created and changed.',
    access: 'resource',
    params,
    response,
    handle: async ({ ctx, params }) =>
      presentOrganization(await getOrganization(ctx, params.organization_id)),
  }),
  operation({
    method: 'put',
    path: `${path}/{organization_id}`,
    id: 'renameOrganization',
    tag,
    summary: 'Rename an organization',
    description: 'Changes the name of the organization. Only its admins can do so.',
    access: 'resource',
    params,
    body: { json: newOrganization },
    response,
    handle: async ({ ctx, params, body }) =>
      presentOrganization(await renameOrganization(ctx, params.organization_id, body)),
  }),
  operation({
    method: 'delete',
    path: `${path}/{organization_id}`,
    id: 'deleteOrganization',
    tag,
    summary: 'Delete an organization',
    description:
      'Deletes the organization with all its projects, memberships and keys. Only its admins can do ' +
      'so, and not with a key of the organization itself. This cannot be undone.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteOrganization(ctx, params.organization_id),
  }),
];
