import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context/context.ts';
import { members } from '#src/db/schema/index.ts';
import { reaches } from './request-scope.ts';

/**
 * Limits a query to the caller's tenant; rows of others count as missing. Evaluated per row, so that reading
 * one row does not list all projects of the caller. Not suited as the only condition of a search.
 */
export function withinScope(ctx: TenantContext, projectId: SQLiteColumn): SQL {
  if (ctx.onlyProjectId) return eq(projectId, ctx.onlyProjectId);
  const organization = ctx.onlyOrganizationId
    ? sql`owner.organization_id = ${ctx.onlyOrganizationId}`
    : sql`owner.organization_id in (select organization_id from members where user_id = ${ctx.actor.userId})`;
  // Raw SQL, because drizzle would qualify every column with the table of the query.
  return sql`exists (select 1 from projects as owner where owner.id = ${projectId} and ${organization})`;
}

/**
 * Applies the rule of `withinScope` to a row that was already read, given the organization of its project.
 */
export async function isWithinScope(
  ctx: TenantContext,
  row: { projectId: string; organizationId: string },
): Promise<boolean> {
  const { actor, onlyProjectId, onlyOrganizationId } = ctx;
  if (onlyProjectId) return row.projectId === onlyProjectId;
  if (onlyOrganizationId) return row.organizationId === onlyOrganizationId;
  return reaches(ctx, actor, row.organizationId);
}

/** Limits rows that belong to an organization. */
export function withinOrganizations(ctx: TenantContext, organizationId: SQLiteColumn): SQL {
  if (ctx.onlyOrganizationId) return eq(organizationId, ctx.onlyOrganizationId);
  const joined = ctx.db
    .select({ id: members.organizationId })
    .from(members)
    .where(eq(members.userId, ctx.actor.userId));
  return inArray(organizationId, joined);
}
