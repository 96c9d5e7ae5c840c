import { and, asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { members, type Organization, organizations, projects, users } from '#src/db/schema/index.ts';
import { Conflict, Forbidden, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { getMember, requireAdmin, whereWithoutOrganization } from '#src/services/tenancy/memberships.ts';
import { withinOrganizations } from '#src/services/tenancy/scope.ts';
import { eraseProjects } from './erase-project.ts';

export const newOrganization = z.object({ name: z.string().min(1).max(3000) });
export type NewOrganization = z.infer<typeof newOrganization>;

export interface OrganizationSearch {
  name?: string | null;
  page_size?: number | null;
  page_token?: string | null;
}

/**
 * Returns the condition that the caller may see an organization. A key that is limited to a project sees only
 * the organization of that project.
 */
function whereVisible(ctx: TenantContext) {
  return ctx.actor.projectId
    ? eq(organizations.id, ctx.actor.organizationId)
    : withinOrganizations(ctx, organizations.id);
}

export function listOrganizations(ctx: TenantContext): Promise<Organization[]> {
  return ctx.db.query.organizations.findMany({
    where: whereVisible(ctx),
    orderBy: [asc(organizations.name), asc(organizations.id)],
  });
}

/** Returns a page of organizations, sorted by name. `name` must match exactly. */
export async function getOrganizationPage(
  ctx: TenantContext,
  search: OrganizationSearch,
): Promise<Page<Organization>> {
  const size = search.page_size ?? DEFAULT_PAGE_SIZE;
  const after = parsePageToken(search.page_token, ['string', 'string']);
  const rows = await ctx.db.query.organizations.findMany({
    where: and(
      whereVisible(ctx),
      search.name ? eq(organizations.name, search.name) : undefined,
      afterKey([organizations.name, organizations.id], after, 'asc'),
    ),
    orderBy: [asc(organizations.name), asc(organizations.id)],
    limit: size + 1,
  });
  return buildPage(rows, size, (row) => [row.name, row.id]);
}

export async function getOrganization(ctx: TenantContext, id: string): Promise<Organization> {
  const row = await ctx.db.query.organizations.findFirst({
    where: and(eq(organizations.id, id), whereVisible(ctx)),
  });
  if (!row) throw new NotFound('Organization', id);
  return row;
}

/** Creates an organization with a default project, and makes the caller its admin. */
export async function createOrganization(ctx: TenantContext, input: NewOrganization): Promise<Organization> {
  const { userId, projectId, organizationOnly } = ctx.actor;
  if (projectId || organizationOnly)
    throw new Forbidden('This key is limited to its organization and cannot create another one.');
  const { name } = await getMember(ctx, ctx.actor.organizationId, userId);
  const id = newId();
  const [[row]] = await ctx.db.batch([
    ctx.db.insert(organizations).values({ id, name: input.name }).returning(),
    ctx.db.insert(members).values({ organizationId: id, userId, name, role: 'admin' }),
    ctx.db.insert(projects).values({ id: newId(), organizationId: id, name: 'Default', isDefault: true }),
  ]);
  return row!;
}

export async function renameOrganization(
  ctx: TenantContext,
  id: string,
  changes: NewOrganization,
): Promise<Organization> {
  await getOrganization(ctx, id);
  await requireAdmin(ctx, id);
  const [row] = await ctx.db
    .update(organizations)
    .set({ name: changes.name })
    .where(eq(organizations.id, id))
    .returning();
  if (!row) throw new NotFound('Organization', id);
  return row;
}

/**
 * Deletes an organization with its projects, memberships and keys. May be called again after an interruption.
 */
export async function deleteOrganization(ctx: TenantContext, id: string): Promise<void> {
  await getOrganization(ctx, id);
  await requireAdmin(ctx, id);
  if (id === ctx.actor.organizationId) {
    throw new Conflict(
      'An organization cannot be deleted with one of its own keys. Use a key of another organization.',
    );
  }
  await eraseProjects(ctx, eq(projects.organizationId, id));
  await deleteInBatches(ctx.db, 'organizations', id);
  const left = await ctx.db
    .delete(members)
    .where(eq(members.organizationId, id))
    .returning({ userId: members.userId });
  await ctx.db.delete(organizations).where(eq(organizations.id, id));
  for (const { userId } of left) await ctx.db.delete(users).where(whereWithoutOrganization(ctx, userId));
}
