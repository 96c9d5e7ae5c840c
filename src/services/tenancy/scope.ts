import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context/context.ts';
import { members } from '#src/db/schema/index.ts';
import { canReachOrganization } from './request-scope.ts';

/**
 * Returns the condition that a row belongs to the caller's tenant. Rows of other tenants are treated as
 * missing. The condition is evaluated per row, so that reading one row does not list all projects of the
 * caller. It is too slow as the only condition of a search.
 */
export function withinScope(ctx: TenantContext, projectId: SQLiteColumn): SQL {
  if (ctx.onlyProjectId) return eq(projectId, ctx.onlyProjectId);
  const organization = ctx.onlyOrganizationId
    ? sql`owner.organization_id = ${ctx.onlyOrganizationId}`
    : sql`owner.organization_id in (select organization_id from members where user_id = ${ctx.actor.userId})`;
  // Raw SQL is used because drizzle would qualify every column with the table of the query.
  return sql`exists (select 1 from projects as owner where owner.id = ${projectId} and ${organization})`;
}

/**
 * Applies the rule of `withinScope` to a row that was already read. The row must include the organization of
 * its project.
 */
export async function isWithinScope(
  ctx: TenantContext,
  row: { projectId: string; organizationId: string },
): Promise<boolean> {
  const { actor, onlyProjectId, onlyOrganizationId } = ctx;
  if (onlyProjectId) return row.projectId === onlyProjectId;
  if (onlyOrganizationId) return row.organizationId === onlyOrganizationId;
  return canReachOrganization(ctx, actor, row.organizationId);
}

/** Returns the condition that a row belongs to an organization that the caller can access. */
export function withinOrganizations(ctx: TenantContext, organizationId: SQLiteColumn): SQL {
  if (ctx.onlyOrganizationId) return eq(organizationId, ctx.onlyOrganizationId);
  const joined = ctx.db
    .select({ id: members.organizationId })
    .from(members)
    .where(eq(members.userId, ctx.actor.userId));
  return inArray(organizationId, joined);
}
