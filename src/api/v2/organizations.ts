import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, metadata, pageOf, pageQuery } from '#src/api/schemas.ts';
import { organizationBody, presentOrganization } from '#src/api/v1/organizations.ts';
import type { Organization } from '#src/db/schema/index.ts';
import { getOrganization, pageOrganizations } from '#src/services/organizations/organizations.ts';

const organizationV2Body = organizationBody
  .extend({ metadata: metadata.nullish() })
  .meta({ id: 'OrganizationV2' });

const present = (row: Organization): z.input<typeof organizationV2Body> => ({
  ...presentOrganization(row),
  metadata: {},
});

const tag = 'Organizations';

export const organizationV2Operations = [
  operation({
    method: 'get',
    path: '/api/v2/organizations',
    id: 'pageOrganizations',
    tag,
    summary: 'List organizations in pages',
    description: 'Returns one page of the organizations that the caller is a member of, ordered by name.',
    access: 'resource',
    query: pageQuery.extend({ name: z.string().nullish().describe('Matches exactly.') }),
    response: { status: 200, json: pageOf(organizationV2Body) },
    async handle({ ctx, query }) {
      const { items, next_page_token } = await pageOrganizations(ctx, query);
      return { items: items.map(present), next_page_token };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/organizations/{organization_id}',
    id: 'getOrganizationV2',
    tag,
    summary: 'Read an organization',
    description: 'Returns the name of the organization and when it was created and changed.',
    access: 'resource',
    params: idParams('organization_id'),
    response: { status: 200, json: organizationV2Body },
    handle: async ({ ctx, params }) => present(await getOrganization(ctx, params.organization_id)),
  }),
];
