import { and, eq, ne } from 'drizzle-orm';
import type { Actor, Context, TenantContext } from '#src/context/context.ts';
import { members, type Role } from '#src/db/schema/index.ts';
import { Forbidden } from '#src/lib/errors.ts';
import { limitRole, requireScope } from './api-scopes.ts';

const VIEWER_REFUSED =
  'The role viewer may read, retrieve and chat, but change nothing. An admin of the organization can change the ' +
  'role.';

/**
 * Returns the role of the caller in an organization. Returns null if the caller is not a member. The role is
 * limited by the scope of the API key.
 */
export async function findRole(ctx: Context, actor: Actor, organizationId: string): Promise<Role | null> {
  if (organizationId === actor.organizationId) return actor.role;
  const role = await findMemberRole(ctx, actor.userId, organizationId);
  return role && limitRole(role, actor.scope);
}

/** Returns the role of a user in an organization. Returns null if the user is not a member. */
export async function findMemberRole(
  { db }: Context,
  userId: string,
  organizationId: string,
): Promise<Role | null> {
  const member = await db.query.members.findFirst({
    where: and(eq(members.organizationId, organizationId), eq(members.userId, userId)),
  });
  return member?.role ?? null;
}

/**
 * Returns the context for an operation that writes. Throws Forbidden if the caller is a viewer or the scope of its
 * key does not include writing. `isById` says
 * that the operation names its resource only by id, so that the resource may belong to any organization of the
 * caller. Organizations in which the caller is a viewer are then left out.
 */
export async function requireWriter(ctx: TenantContext, isById: boolean): Promise<TenantContext> {
  const { actor, organizationId, onlyOrganizationId, onlyProjectId } = ctx;
  requireScope(actor, 'write');
  const role = await findRole(ctx, actor, organizationId);
  const mayWrite =
    isWriter(role) || (isById && !onlyOrganizationId && !onlyProjectId && (await writesElsewhere(ctx)));
  if (!mayWrite) throw new Forbidden(VIEWER_REFUSED);
  return { ...ctx, isWriting: true };
}

const isWriter = (role: Role | null): boolean => role === 'admin' || role === 'member';

async function writesElsewhere({ db, actor }: TenantContext): Promise<boolean> {
  if (actor.organizationOnly) return false;
  const row = await db.query.members.findFirst({
    where: and(eq(members.userId, actor.userId), ne(members.role, 'viewer')),
  });
  return row !== undefined;
}

/** Returns whether the caller can access an organization, and may write there if the request writes. */
export async function canUseOrganization(ctx: TenantContext, organizationId: string): Promise<boolean> {
  if (ctx.actor.organizationOnly && organizationId !== ctx.actor.organizationId) return false;
  const role = await findRole(ctx, ctx.actor, organizationId);
  return ctx.isWriting ? isWriter(role) : role !== null || organizationId === ctx.actor.organizationId;
}
