import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
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

const members = resource({
  tag: 'Organizations',
  collection: {
    name: 'the members of an organization',
    path: '/api/v1/organizations/{organization_id}/users',
    params: idParams('organization_id'),
    access: 'resource',
  },
  item: {
    name: 'a member',
    path: '/api/v1/organizations/{organization_id}/users/{user_id}',
    params: idParams('organization_id', 'user_id'),
    access: 'resource',
  },
  body: memberBody,
  present,
});

export const memberOperations = [
  members.list({
    id: 'listMembers',
    needs: 'read',
    description: 'Returns the members of the organization with their roles.',
    run: ({ ctx, params }) => listMembers(ctx, params.organization_id),
  }),
  members.create({
    id: 'addMember',
    needs: 'admin',
    summary: 'Add a member',
    description:
      'Creates a user who is a member of the organization. To let them in, create an API key with ' +
      'their `user_id`.',
    body: newMember,
    run: ({ ctx, params, body }) => addMember(ctx, params.organization_id, body),
  }),
  members.update({
    id: 'changeMemberRole',
    needs: 'admin',
    summary: 'Change the role of a member',
    description:
      'Changes the role of a member. Only admins can do so, and an organization keeps at least one ' +
      'admin.',
    body: memberChanges,
    run: ({ ctx, params, body }) => changeRole(ctx, params.organization_id, params.user_id, body),
  }),
  members.delete({
    id: 'removeMember',
    needs: 'admin',
    summary: 'Remove a member',
    description: 'Ends the membership. The member’s keys of this organization stop working at once.',
    run: ({ ctx, params }) => removeMember(ctx, params.organization_id, params.user_id),
  }),
];
