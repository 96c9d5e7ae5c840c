import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
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

const tag = 'Organizations';

const organizations = resource({
  tag,
  collection: { name: 'organizations', path: '/api/v1/organizations', access: 'resource' },
  item: {
    name: 'an organization',
    path: '/api/v1/organizations/{organization_id}',
    params: idParams('organization_id'),
    access: 'resource',
  },
  body: organizationBody,
  present: presentOrganization,
});

export const organizationOperations = [
  organizations.list({
    id: 'listOrganizations',
    needs: 'read',
    description: 'Returns the organizations that the caller is a member of.',
    run: ({ ctx }) => listOrganizations(ctx),
  }),
  organizations.create({
    id: 'createOrganization',
    needs: 'admin',
    description: 'Creates the organization with a default project. The caller becomes its admin.',
    body: newOrganization,
    run: ({ ctx, body }) => createOrganization(ctx, body),
  }),
  operation({
    method: 'get',
    path: '/api/v1/organizations/default',
    id: 'getDefaultOrganization',
    needs: 'read',
    tag,
    summary: 'Read the default organization',
    description:
      'Returns the organization in which requests without a scope act: the organization of the API key.',
    access: 'resource',
    response: { status: 200, json: organizationBody },
    handle: async ({ ctx }) => presentOrganization(await getOrganization(ctx, ctx.organizationId)),
  }),
  organizations.get({
    id: 'getOrganization',
    needs: 'read',
    description: 'Returns the name of the organization and when it was created and changed.',
    run: ({ ctx, params }) => getOrganization(ctx, params.organization_id),
  }),
  organizations.update({
    id: 'renameOrganization',
    needs: 'admin',
    summary: 'Rename an organization',
    description: 'Changes the name of the organization. Only its admins can do so.',
    body: newOrganization,
    run: ({ ctx, params, body }) => renameOrganization(ctx, params.organization_id, body),
  }),
  organizations.delete({
    id: 'deleteOrganization',
    needs: 'admin',
    description:
      'Deletes the organization with all its projects, memberships and keys. Only its admins can do ' +
      'so, and not with a key of the organization itself. This cannot be undone.',
    run: ({ ctx, params }) => deleteOrganization(ctx, params.organization_id),
  }),
];
