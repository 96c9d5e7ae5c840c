import { and, asc, eq, exists, ne, notExists, or, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import {
  apiKeys,
  connectedApplications,
  identities,
  identitySessions,
  type Membership,
  members,
  ROLES,
  users,
} from '#src/db/schema/index.ts';
import { Conflict, getErrorMessage, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { forgetUser } from '#src/services/audit/record.ts';
import { getMember, requireAdmin, whereWithoutOrganization } from '#src/services/tenancy/memberships.ts';
import { deleteInvitationsUnlessAdmin } from '#src/services/tenancy/open-invitations.ts';
import { forgetAsker } from '#src/services/traces/list.ts';
import { getOrganization } from './organizations.ts';

export interface Member {
  membership: Membership;
  user: { id: string };
}

export const role = z.enum(ROLES);

export const newMember = z.object({
  email: z.email().max(320).nullish().describe('E-mail address, unique in the organization.'),
  name: z
    .string()
    .min(1)
    .max(255)
    .nullish()
    .describe('Name of the member within the organization. Defaults to the email address.'),
  role: role.nullish().describe('Defaults to `member`.'),
});
export type NewMember = z.infer<typeof newMember>;

export const memberChanges = z.object({ role });

const columns = { membership: members, user: { id: users.id } };

function selectMembers(ctx: TenantContext, where: SQL | undefined) {
  return ctx.db
    .select(columns)
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(where)
    .orderBy(asc(members.createdAt), asc(members.userId));
}

export async function listMembers(ctx: TenantContext, organizationId: string): Promise<Member[]> {
  await getOrganization(ctx, organizationId);
  return selectMembers(ctx, eq(members.organizationId, organizationId));
}

/**
 * Creates a user and adds it to the organization. A new user is created even if another organization has one
 * with this e-mail address, so that nothing about other organizations is revealed. An admin creates the
 * user's API key separately.
 */
export async function addMember(
  ctx: TenantContext,
  organizationId: string,
  input: NewMember,
): Promise<Member> {
  await getOrganization(ctx, organizationId);
  await requireAdmin(ctx, organizationId);
  const email = input.email?.toLowerCase() ?? null;
  const name = input.name ?? email ?? 'Unnamed';
  const isMemberAlready = eq(members.organizationId, organizationId);
  const known =
    email &&
    (await ctx.db.query.members.findFirst({ where: and(isMemberAlready, eq(members.email, email)) }));
  if (known) throw new Conflict(`${email} is already a member of the organization.`);
  const userId = newId();
  const membership = { organizationId, userId, name, email, role: input.role ?? ('member' as const) };
  const [, rows] = await ctx.db
    .batch([
      ctx.db.insert(users).values({ id: userId }),
      ctx.db.insert(members).values(membership).returning(),
    ])
    .catch((cause: unknown) => {
      if (/UNIQUE/.test(getErrorMessage(cause)))
        throw new Conflict(`${email} is already a member of the organization.`);
      throw cause;
    });
  return { membership: rows[0]!, user: { id: userId } };
}

export async function changeRole(
  ctx: TenantContext,
  organizationId: string,
  userId: string,
  changes: z.infer<typeof memberChanges>,
): Promise<Member> {
  await getOrganization(ctx, organizationId);
  await requireAdmin(ctx, organizationId);
  await getMember(ctx, organizationId, userId);
  const keepsAdmin = changes.role === 'admin' ? undefined : hasOtherAdmin(ctx, organizationId, userId);
  const [{ meta }] = await ctx.db.batch([
    ctx.db
      .update(members)
      .set({ role: changes.role })
      .where(and(isMember(organizationId, userId), keepsAdmin)),
    deleteInvitationsUnlessAdmin(ctx, organizationId, userId),
  ]);
  if (meta.changes === 0) throw createLastAdminConflict();
  const [member] = await selectMembers(ctx, isMember(organizationId, userId));
  if (!member) throw new NotFound('Member', userId);
  return member;
}

/**
 * Removes a member and deletes the member's API keys, sessions and open invitations of this organization. Members
 * may remove themselves. If the user's audit events could not all be cleared, the call can be repeated.
 */
export async function removeMember(
  ctx: TenantContext,
  organizationId: string,
  userId: string,
): Promise<void> {
  await getOrganization(ctx, organizationId);
  if (userId !== ctx.actor.userId || ctx.actor.projectId) await requireAdmin(ctx, organizationId);
  const known = await ctx.db.query.members.findFirst({ where: isMember(organizationId, userId) });
  if (known) await deleteMember(ctx, organizationId, userId);
  await forgetAsker(ctx, organizationId, userId);
  const forgotten = await forgetUser(ctx, organizationId, userId);
  if (!known && forgotten === 0) throw new NotFound('Member', userId);
}

/** Deletes a membership with everything that lets the user sign in. All rows are deleted together or none. */
async function deleteMember(ctx: TenantContext, organizationId: string, userId: string): Promise<void> {
  const membership = ctx.db.select().from(members).where(isMember(organizationId, userId));
  const whereRemoved = (
    table: typeof apiKeys | typeof identitySessions | typeof identities | typeof connectedApplications,
  ) => and(eq(table.organizationId, organizationId), eq(table.userId, userId), notExists(membership));
  const [{ meta }] = await ctx.db.batch([
    ctx.db
      .delete(members)
      .where(and(isMember(organizationId, userId), hasOtherAdmin(ctx, organizationId, userId))),
    deleteInvitationsUnlessAdmin(ctx, organizationId, userId),
    ctx.db.delete(apiKeys).where(whereRemoved(apiKeys)),
    ctx.db.delete(identitySessions).where(whereRemoved(identitySessions)),
    ctx.db.delete(connectedApplications).where(whereRemoved(connectedApplications)),
    ctx.db.delete(identities).where(whereRemoved(identities)),
    ctx.db.delete(users).where(whereWithoutOrganization(ctx, userId)),
  ]);
  if (meta.changes === 0) throw createLastAdminConflict();
}

function isMember(organizationId: string, userId: string): SQL | undefined {
  return and(eq(members.organizationId, organizationId), eq(members.userId, userId));
}

function hasOtherAdmin(ctx: TenantContext, organizationId: string, userId: string): SQL | undefined {
  const other = alias(members, 'other');
  const otherAdmins = ctx.db
    .select()
    .from(other)
    .where(and(eq(other.organizationId, organizationId), ne(other.userId, userId), eq(other.role, 'admin')));
  return or(ne(members.role, 'admin'), exists(otherAdmins));
}

function createLastAdminConflict(): Conflict {
  return new Conflict('An organization must keep at least one admin.');
}
