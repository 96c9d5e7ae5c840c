import { and, desc, eq, gt, isNull } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { apiKeys, type Invitation, invitations, members, ROLES, users } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { Conflict, getErrorMessage, Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { generateApiKey, redactApiKey } from '#src/lib/secrets/api-key.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { getOrganization } from './organizations.ts';

const DEFAULT_DAYS = 7;
const MAX_DAYS = 30;

export const newInvitation = z.object({
  email: z
    .email()
    .max(320)
    .nullish()
    .describe('E-mail address of the new member. Sluice sends no mail: hand over the link yourself.'),
  role: z.enum(ROLES).nullish().describe('Defaults to `member`.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .refine((text) => Date.parse(text) > Date.now(), 'must be in the future')
    .nullish()
    .describe(
      `Time at which the link stops working, at most ${MAX_DAYS} days ahead. Default: ${DEFAULT_DAYS} days.`,
    ),
});

export const INVITATION_STATES = ['pending', 'accepted', 'expired'] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];

export function getInvitationState({ acceptedAt, expiresAt }: Invitation): InvitationState {
  if (acceptedAt) return 'accepted';
  return expiresAt.getTime() > Date.now() ? 'pending' : 'expired';
}

/** Creates an invitation. Its token is returned once and stored only as a hash. Requires an admin. */
export async function createInvitation(
  ctx: TenantContext,
  organizationId: string,
  input: z.infer<typeof newInvitation>,
): Promise<{ row: Invitation; token: string }> {
  await requireInviter(ctx, organizationId);
  const expiresAt = input.expires_at
    ? new Date(input.expires_at)
    : new Date(Date.now() + DEFAULT_DAYS * DAY_MS);
  if (expiresAt.getTime() > Date.now() + MAX_DAYS * DAY_MS) {
    throw Invalid.field(['expires_at'], `must be at most ${MAX_DAYS} days ahead`);
  }
  const email = input.email?.toLowerCase() ?? null;
  if (email && (await isMemberAddress(ctx, organizationId, email))) throw createMemberConflict(email);
  const token = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const [row] = await ctx.db
    .insert(invitations)
    .values({
      id: newId(),
      organizationId,
      email,
      role: input.role ?? 'member',
      hash: await sha256(token),
      createdBy: ctx.actor.userId,
      expiresAt,
    })
    .returning();
  return { row: row!, token };
}

/** Returns a page of the invitations of an organization, newest first. Requires an admin. */
export async function getInvitationPage(
  ctx: TenantContext,
  organizationId: string,
  search: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<Invitation>> {
  await requireInviter(ctx, organizationId);
  const size = search.page_size ?? DEFAULT_PAGE_SIZE;
  const after = parsePageToken(search.page_token, ['number', 'string']);
  const rows = await ctx.db.query.invitations.findMany({
    where: and(
      eq(invitations.organizationId, organizationId),
      afterKey([invitations.createdAt, invitations.id], after, 'desc'),
    ),
    orderBy: [desc(invitations.createdAt), desc(invitations.id)],
    limit: size + 1,
  });
  return buildPage(rows, size, (row) => [row.createdAt.getTime(), row.id]);
}

/** Deletes an invitation, so that its link stops working. A member who used it stays. Requires an admin. */
export async function revokeInvitation(
  ctx: TenantContext,
  organizationId: string,
  id: string,
): Promise<void> {
  await requireInviter(ctx, organizationId);
  const { meta } = await ctx.db
    .delete(invitations)
    .where(and(eq(invitations.id, id), eq(invitations.organizationId, organizationId)));
  if (meta.changes === 0) throw new NotFound('Invitation', id);
}

async function requireInviter(ctx: TenantContext, organizationId: string): Promise<void> {
  await getOrganization(ctx, organizationId);
  await requireAdmin(ctx, organizationId);
}

async function isMemberAddress({ db }: Context, organizationId: string, email: string): Promise<boolean> {
  const where = and(eq(members.organizationId, organizationId), eq(members.email, email));
  return (await db.query.members.findFirst({ where })) !== undefined;
}

const createMemberConflict = (email: string) =>
  new Conflict(`${email} is already a member of the organization.`);

export interface Accepted {
  invitation: Invitation;
  userId: string;
  keyId: string;
  /** API key of the new member, which is returned once. */
  key: string;
}

/**
 * Uses an invitation: creates a user, the membership and an API key with which the member can sign in again. An
 * invitation works once, also if it is used twice at the same time. The answer to a used, expired, revoked and
 * unknown token is the same.
 */
export async function acceptInvitation(
  ctx: Context,
  { token, name }: { token: string; name: string },
): Promise<Accepted> {
  const [invitation] = await ctx.db
    .update(invitations)
    .set({ acceptedAt: new Date() })
    .where(
      and(
        eq(invitations.hash, await sha256(token)),
        isNull(invitations.acceptedAt),
        gt(invitations.expiresAt, new Date()),
      ),
    )
    .returning();
  if (!invitation) throw new NotFound('Invitation');
  const { organizationId, email, role } = invitation;
  const [userId, keyId, key] = [newId(), newId(), generateApiKey()];
  try {
    await ctx.db.batch([
      ctx.db.insert(users).values({ id: userId }),
      ctx.db.insert(members).values({ organizationId, userId, name, email, role, joinedByLink: true }),
      ctx.db.insert(apiKeys).values({
        id: keyId,
        organizationId,
        userId,
        organizationOnly: true,
        name: 'Invitation',
        keyType: 'user',
        hash: await sha256(key),
        redacted: redactApiKey(key),
      }),
    ]);
  } catch (cause) {
    await ctx.db.update(invitations).set({ acceptedAt: null }).where(eq(invitations.id, invitation.id));
    if (email && /UNIQUE/.test(getErrorMessage(cause))) throw createMemberConflict(email);
    throw cause;
  }
  return { invitation, userId, keyId, key };
}
