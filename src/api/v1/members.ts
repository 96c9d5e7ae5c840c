import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, timestamp } from '#src/api/schemas.ts';
import {
  addMember,
  changeRole,
  listMembers,
  type Member,
  memberChanges,
  newMember,
  removeMember,
  role,
} from '#src/services/organizations/members.ts';

const memberBody = z
  .object({
    user_id: z.uuid(),
    organization_id: z.uuid(),
    name: z.string(),
    email: z.string().nullish(),
    role,
    created_at: timestamp.nullish().describe('When the user joined.'),
  })
  .meta({ id: 'Member' });

function present({ membership, user }: Member): z.input<typeof memberBody> {
  return {
    user_id: user.id,
    organization_id: membership.organizationId,
    name: membership.name,
    email: membership.email,
    role: membership.role,
    created_at: membership.createdAt.toISOString(),
  };
}

const tag = 'Organizations';
const path = '/api/v1/organizations/{organization_id}/users';
const ofOrganization = idParams('organization_id');
const ofMember = idParams('organization_id', 'user_id');

export const memberOperations = [
  operation({
    method: 'get',
    path,
    id: 'listMembers',
    tag,
    summary: 'List the members of an organization',
    description: 'Returns the members of the organization with their roles.',
    access: 'resource',
    params: ofOrganization,
    response: { status: 200, json: z.array(memberBody) },
    handle: async ({ ctx, params }) => (await listMembers(ctx, params.organization_id)).map(present),
  }),
  operation({
    method: 'post',
    path,
    id: 'addMember',
    tag,
    summary: 'Add a member',
    description:
      'Creates a user who is a member of the organization. To let them in, create an API key with ' +
      'their `user_id`.',
    access: 'resource',
    params: ofOrganization,
    body: { json: newMember },
    response: { status: 200, json: memberBody },
    handle: async ({ ctx, params, body }) => present(await addMember(ctx, params.organization_id, body)),
  }),
  operation({
    method: 'put',
    path: `${path}/{user_id}`,
    id: 'changeMemberRole',
    tag,
    summary: 'Change the role of a member',
    description:
      'Changes the role of a member. Only admins can do so, and an organization keeps at least one ' +
      'admin.',
    access: 'resource',
    params: ofMember,
    body: { json: memberChanges },
    response: { status: 200, json: memberBody },
    handle: async ({ ctx, params, body }) =>
      present(await changeRole(ctx, params.organization_id, params.user_id, body)),
  }),
  operation({
    method: 'delete',
    path: `${path}/{user_id}`,
    id: 'removeMember',
    tag,
    summary: 'Remove a member',
    description: 'Ends the membership. The member’s keys of this organization stop working at once.',
    access: 'resource',
    params: ofMember,
    response: { status: 204 },
    handle: ({ ctx, params }) => removeMember(ctx, params.organization_id, params.user_id),
  }),
];
