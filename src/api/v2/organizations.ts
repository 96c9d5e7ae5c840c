import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, metadata, pageQuery } from '#src/api/operation/schemas.ts';
import { organizationBody, presentOrganization } from '#src/api/v1/account/organizations.ts';
import type { Organization } from '#src/db/schema/index.ts';
import { getOrganization, getOrganizationPage } from '#src/services/organizations/organizations.ts';

const organizationV2Body = organizationBody
  .extend({ metadata: metadata.nullish() })
  .meta({ id: 'OrganizationV2' });

const present = (row: Organization): z.input<typeof organizationV2Body> => ({
  ...presentOrganization(row),
  metadata: {},
});

const organizations = resource({
  tag: 'Organizations',
  collection: { name: 'organizations in pages', path: '/api/v2/organizations', access: 'resource' },
  item: {
    name: 'an organization',
    path: '/api/v2/organizations/{organization_id}',
    params: idParams('organization_id'),
    access: 'resource',
  },
  body: organizationV2Body,
  present,
});

export const organizationV2Operations = [
  organizations.page({
    id: 'pageOrganizations',
    needs: 'read',
    description: 'Returns one page of the organizations that the caller is a member of, ordered by name.',
    query: pageQuery.extend({ name: z.string().nullish().describe('Exact match.') }),
    run: ({ ctx, query }) => getOrganizationPage(ctx, query),
  }),
  organizations.get({
    id: 'getOrganizationV2',
    needs: 'read',
    description: 'Returns the name of the organization and when it was created and changed.',
    run: ({ ctx, params }) => getOrganization(ctx, params.organization_id),
  }),
];
