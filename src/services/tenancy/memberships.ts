import { and, eq, notExists, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { type Membership, members, users } from '#src/db/schema/index.ts';
import { Forbidden, NotFound } from '#src/lib/errors.ts';
import { requireScope } from './api-scopes.ts';

export async function getMember(
  ctx: TenantContext,
  organizationId: string,
  userId: string,
): Promise<Membership> {
  const row = await ctx.db.query.members.findFirst({
    where: and(eq(members.organizationId, organizationId), eq(members.userId, userId)),
  });
  if (!row) throw new NotFound('Member', userId);
  return row;
}

/**
 * Throws Forbidden unless the caller is an admin of the organization and uses a key with the scope
 * `admin` that is not limited to a project.
 */
export async function requireAdmin(ctx: TenantContext, organizationId: string): Promise<void> {
  requireScope(ctx.actor, 'admin');
  if (ctx.actor.projectId) throw new Forbidden('A key that is scoped to a project cannot do this.');
  const member = await ctx.db.query.members.findFirst({
    where: and(eq(members.organizationId, organizationId), eq(members.userId, ctx.actor.userId)),
  });
  if (member?.role !== 'admin') throw new Forbidden('Only an admin of the organization can do this.');
}

/**
 * Returns the SQL condition that selects a user who no longer belongs to any organization and can be deleted.
 */
export function whereWithoutOrganization(ctx: TenantContext, userId: string): SQL | undefined {
  const joined = ctx.db.select().from(members).where(eq(members.userId, userId));
  return and(eq(users.id, userId), notExists(joined));
}
