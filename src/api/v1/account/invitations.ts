import { z } from 'zod';
import { getSessionCookie, requireOwnOrigin } from '#src/api/http/auth.ts';
import { readClientAddress } from '#src/api/http/client-address.ts';
import { sessionCookie } from '#src/api/http/cookies.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import { type Invitation, ROLES } from '#src/db/schema/index.ts';
import { recordEvent } from '#src/services/audit/record.ts';
import {
  acceptInvitation,
  createInvitation,
  getInvitationPage,
  getInvitationState,
  INVITATION_STATES,
  newInvitation,
  revokeInvitation,
} from '#src/services/organizations/invitations.ts';
import { describeBrowser } from '#src/services/tenancy/browser.ts';
import { countSignIn } from '#src/services/tenancy/rate-limit.ts';
import { closeSession, openKeySession } from '#src/services/tenancy/sessions.ts';
import { publicOrigin } from '#src/settings/settings.ts';

const tag = 'Organizations';
const PATH = '/api/v1/organizations/{organization_id}/invitations';

/** Maximum bytes of a request that accepts an invitation, which anyone may send. */
const ACCEPT_BYTES = 4 * 1024;

const invitationBody = z
  .object({
    id: z.uuid(),
    organization_id: z.uuid(),
    email: z.string().nullish(),
    role: z.enum(ROLES),
    state: z.enum(INVITATION_STATES),
    created_by: z.string().nullish().describe('Id of the user who created it. Null if the user was removed.'),
    created_at: timestamp,
    expires_at: timestamp,
    accepted_at: timestamp.nullish(),
  })
  .meta({ id: 'Invitation' });

function present(row: Invitation): z.input<typeof invitationBody> {
  return {
    id: row.id,
    organization_id: row.organizationId,
    email: row.email,
    role: row.role,
    state: getInvitationState(row),
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    accepted_at: row.acceptedAt?.toISOString() ?? null,
  };
}

export const invitationOperations = [
  operation({
    method: 'post',
    path: PATH,
    id: 'createInvitation',
    needs: 'admin',
    tag,
    summary: 'Create an invitation',
    description:
      'The answer contains a link that makes whoever opens it first a member of the organization. The link ' +
      'is shown only once, because the service stores only a hash of its token. Only admins can invite.',
    access: 'resource',
    params: idParams('organization_id'),
    body: { json: newInvitation },
    response: {
      status: 201,
      json: invitationBody
        .extend({ url: z.string().describe('Link to hand over. It works once.') })
        .meta({ id: 'CreatedInvitation' }),
    },
    async handle({ ctx, params, body, request }) {
      const { row, token } = await createInvitation(ctx, params.organization_id, body);
      // The token is in the fragment, which browsers do not send, so that no log contains it.
      const url = `${publicOrigin(ctx.settings, request.url)}/console/invitation#${token}`;
      return { ...present(row), url };
    },
  }),
  operation({
    method: 'get',
    path: PATH,
    id: 'listInvitations',
    needs: 'admin',
    tag,
    summary: 'List invitations',
    description:
      'Returns the invitations of the organization with their states, newest first. Only for admins.',
    access: 'resource',
    params: idParams('organization_id'),
    query: pageQuery,
    response: { status: 200, json: buildPageSchema(invitationBody).meta({ id: 'InvitationPage' }) },
    async handle({ ctx, params, query }) {
      const page = await getInvitationPage(ctx, params.organization_id, query);
      return { ...page, items: page.items.map(present) };
    },
  }),
  operation({
    method: 'delete',
    path: `${PATH}/{invitation_id}`,
    id: 'revokeInvitation',
    needs: 'admin',
    tag,
    summary: 'Revoke an invitation',
    description: 'The link stops working at once. A member who has used it stays. Only for admins.',
    access: 'resource',
    params: idParams('organization_id', 'invitation_id'),
    response: { status: 204 },
    handle: ({ ctx, params }) => revokeInvitation(ctx, params.organization_id, params.invitation_id),
  }),
  operation({
    method: 'post',
    path: '/api/v1/invitations/accept',
    id: 'acceptInvitation',
    needs: null,
    tag,
    summary: 'Accept an invitation',
    description:
      'Makes the caller a member, sets the session cookie, and returns an API key with which the member can ' +
      'sign in again. The key is shown only once. Answers 404 to a token that is unknown, used, expired or revoked.',
    access: 'public',
    body: {
      json: z.object({
        token: z
          .string()
          .min(1)
          .max(200)
          .meta({ format: 'password' })
          .describe('Text after `#` in the link.'),
        name: z.string().trim().min(1).max(255).describe('Name of the new member within the organization.'),
      }),
      limit: ACCEPT_BYTES,
    },
    response: {
      status: 200,
      json: z
        .object({ organization_id: z.uuid(), user_id: z.uuid(), role: z.enum(ROLES), api_key: z.string() })
        .meta({ id: 'AcceptedInvitation' }),
    },
    errors: [403, 404],
    async handle({ ctx, body, request, requestId }) {
      const former = getSessionCookie(request);
      if (former || request.headers.has('origin')) requireOwnOrigin(ctx, request);
      const address = readClientAddress(request, ctx.settings);
      countSignIn(ctx, address);
      const { invitation, userId, keyId, key } = await acceptInvitation(ctx, body);
      if (former) await closeSession(ctx, former);
      const session = await openKeySession(ctx, keyId, describeBrowser(request.headers.get('user-agent')));
      const { organizationId, role } = invitation;
      await recordEvent(ctx, {
        ...{ organizationId, userId, keyId, requestId, address },
        operation: 'acceptInvitation',
        objectType: 'invitation',
        objectId: invitation.id,
      });
      const answer = { organization_id: organizationId, user_id: userId, role, api_key: key };
      return Response.json(answer, { headers: { 'set-cookie': sessionCookie(ctx, request, session) } });
    },
  }),
];
