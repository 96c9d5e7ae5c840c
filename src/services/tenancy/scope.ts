import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context/context.ts';
import { members } from '#src/db/schema/index.ts';
import { canUseOrganization } from './roles.ts';

/**
 * Returns the SQL condition that a row belongs to a project that the caller can access. The database
 * evaluates it per row, so a search needs a further condition to be fast.
 */
export function withinScope(ctx: TenantContext, projectId: SQLiteColumn): SQL {
  if (ctx.onlyProjectId) return eq(projectId, ctx.onlyProjectId);
  const organization = ctx.onlyOrganizationId
    ? sql`owner.organization_id = ${ctx.onlyOrganizationId}`
    : sql`owner.organization_id in (
        select organization_id from members where user_id = ${ctx.actor.userId} ${whereWritable(ctx)})`;
  // The condition is raw SQL, because Drizzle would qualify its columns with the wrong table.
  return sql`exists (select 1 from projects as owner where owner.id = ${projectId} and ${organization})`;
}

/** Returns the SQL condition that leaves out memberships as viewer, if the request writes. */
const whereWritable = (ctx: TenantContext): SQL => (ctx.isWriting ? sql`and role <> 'viewer'` : sql``);

/**
 * Returns whether the caller can access a row that was already read. The row must include the organization of
 * its project.
 */
export async function isWithinScope(
  ctx: TenantContext,
  row: { projectId: string; organizationId: string },
): Promise<boolean> {
  const { onlyProjectId, onlyOrganizationId } = ctx;
  if (onlyProjectId) return row.projectId === onlyProjectId;
  if (onlyOrganizationId) return row.organizationId === onlyOrganizationId;
  return canUseOrganization(ctx, row.organizationId);
}

/** Returns the SQL condition that a row belongs to an organization that the caller can access. */
export function withinOrganizations(ctx: TenantContext, organizationId: SQLiteColumn): SQL {
  if (ctx.onlyOrganizationId) return eq(organizationId, ctx.onlyOrganizationId);
  const joined = ctx.db
    .select({ id: members.organizationId })
    .from(members)
    .where(eq(members.userId, ctx.actor.userId));
  return inArray(organizationId, joined);
}
