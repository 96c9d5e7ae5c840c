import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context/context.ts';
import { members } from '#src/db/schema/index.ts';
import { reaches } from './request-scope.ts';

/**
 * Keeps a query inside the caller's tenant: another tenant's row reads as if it were not there. Asked of each
 * row, so that reading one does not list all the caller's projects; not a condition to find rows by.
 */
export function withinScope(ctx: TenantContext, projectId: SQLiteColumn): SQL {
  if (ctx.onlyProjectId) return eq(projectId, ctx.onlyProjectId);
  const organization = ctx.onlyOrganizationId
    ? sql`owner.organization_id = ${ctx.onlyOrganizationId}`
    : sql`owner.organization_id in (select organization_id from members where user_id = ${ctx.actor.userId})`;
  // Plain text: drizzle gives every column of a relational query's condition the name of that query's table.
  return sql`exists (select 1 from projects as owner where owner.id = ${projectId} and ${organization})`;
}

/** The same of a row that has been read already, and of the organization of its project. */
export async function isWithinScope(
  ctx: TenantContext,
  row: { projectId: string; organizationId: string },
): Promise<boolean> {
  const { actor, onlyProjectId, onlyOrganizationId } = ctx;
  if (onlyProjectId) return row.projectId === onlyProjectId;
  if (onlyOrganizationId) return row.organizationId === onlyOrganizationId;
  return reaches(ctx, actor, row.organizationId);
}

/** For rows that belong to an organization. */
export function withinOrganizations(ctx: TenantContext, organizationId: SQLiteColumn): SQL {
  if (ctx.onlyOrganizationId) return eq(organizationId, ctx.onlyOrganizationId);
  const joined = ctx.db
    .select({ id: members.organizationId })
    .from(members)
    .where(eq(members.userId, ctx.actor.userId));
  return inArray(organizationId, joined);
}
