import { and, asc, eq, ne, notExists } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Project, type ProjectLimits, projects } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { projectLimits } from '#src/services/limits/limits.ts';
import { buildStorageCount } from '#src/services/limits/storage.ts';
import { mergeRetention, retention } from '#src/services/retention/settings.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { eraseProjects } from './erase-project.ts';

export const newProject = z.object({
  name: z.string().min(1).max(3000),
  retention: retention
    .nullish()
    .describe("Omitted fields stay unchanged. Null applies the installation's defaults to all of them."),
});
export type NewProject = z.infer<typeof newProject>;

export const projectChanges = newProject.extend({
  limits: projectLimits
    .nullish()
    .describe(
      "Replaces all limits. Limits that are not given use the installation's defaults. If absent, nothing changes.",
    ),
});
export type ProjectChanges = z.infer<typeof projectChanges>;

export interface ProjectSearch {
  /** Name of the project to find, which must match exactly. */
  name?: string | null;
  page_size?: number | null;
  page_token?: string | null;
}

function whereMatching(ctx: TenantContext, name: string | null | undefined) {
  return and(
    eq(projects.organizationId, ctx.organizationId),
    ctx.onlyProjectId ? eq(projects.id, ctx.onlyProjectId) : undefined,
    name ? eq(projects.name, name) : undefined,
  );
}

/**
 * Returns the projects of the request's organization. With `name`, returns only the project with this name.
 */
export function listProjects(ctx: TenantContext, name?: string | null): Promise<Project[]> {
  return ctx.db.query.projects.findMany({ where: whereMatching(ctx, name), orderBy: asc(projects.name) });
}

export async function getProjectPage(ctx: TenantContext, search: ProjectSearch): Promise<Page<Project>> {
  const size = search.page_size ?? DEFAULT_PAGE_SIZE;
  const after = parsePageToken(search.page_token, ['string']);
  const rows = await ctx.db.query.projects.findMany({
    where: and(whereMatching(ctx, search.name), afterKey([projects.name], after, 'asc')),
    orderBy: asc(projects.name),
    limit: size + 1,
  });
  return buildPage(rows, size, (row) => [row.name]);
}

export async function getProject(ctx: TenantContext, id: string): Promise<Project> {
  const row = await ctx.db.query.projects.findFirst({
    where: and(eq(projects.id, id), withinScope(ctx, projects.id)),
  });
  if (!row) throw new NotFound('Project', id);
  return row;
}

export async function createProject(ctx: TenantContext, input: NewProject): Promise<Project> {
  const row = await insertProject(ctx, input);
  if (!row) throw createNameConflict(input.name);
  return row;
}

/**
 * Creates a project, or returns the existing project with this name. For an existing project, only
 * `retention` is updated, if it is given.
 */
export async function upsertProject(ctx: TenantContext, input: NewProject): Promise<Project> {
  const [existing] = await listProjects(ctx, input.name);
  if (existing && input.retention !== undefined) return changeProject(ctx, existing.id, input);
  const row = existing ?? (await insertProject(ctx, input)) ?? (await listProjects(ctx, input.name))[0];
  if (!row) throw createNameConflict(input.name);
  return row;
}

async function insertProject(ctx: TenantContext, input: NewProject): Promise<Project | undefined> {
  await requireAdmin(ctx, ctx.organizationId);
  const [row] = await ctx.db
    .insert(projects)
    .values({
      id: newId(),
      organizationId: ctx.organizationId,
      name: input.name,
      retention: mergeRetention(null, input.retention),
    })
    .onConflictDoNothing()
    .returning();
  if (row?.retention) await ctx.objects.retentionClock().watch('soon');
  return row;
}

/** Changes the name, limits and retention of a project. */
export async function changeProject(
  ctx: TenantContext,
  id: string,
  changes: ProjectChanges,
): Promise<Project> {
  const { organizationId, retention: kept } = await getProject(ctx, id);
  await requireAdmin(ctx, organizationId);
  const other = alias(projects, 'other');
  const sameName = ctx.db
    .select()
    .from(other)
    .where(and(eq(other.organizationId, organizationId), eq(other.name, changes.name), ne(other.id, id)));
  const { name, limits } = changes;
  const update = ctx.db
    .update(projects)
    .set({
      name,
      retention: mergeRetention(kept, changes.retention),
      ...(limits !== undefined && { limits: limits && toProjectLimits(limits) }),
    })
    .where(and(eq(projects.id, id), notExists(sameName)))
    .returning();
  // If the project has limits, its stored files are counted from now on.
  const [[row]] = limits ? await ctx.db.batch([update, buildStorageCount(ctx, id)]) : [await update];
  if (!row) throw createNameConflict(name);
  if (changes.retention) await ctx.objects.retentionClock().watch('soon');
  return row;
}

function toProjectLimits(limits: NonNullable<ProjectChanges['limits']>): ProjectLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, most]) => most !== null && most !== undefined));
}

/** Deletes a project with everything that it owns. May be called again after an interruption. */
export async function deleteProject(ctx: TenantContext, id: string): Promise<void> {
  const project = await getProject(ctx, id);
  await requireAdmin(ctx, project.organizationId);
  if (project.isDefault) throw new Conflict('The default project of an organization cannot be deleted.');
  await eraseProjects(ctx, eq(projects.id, id));
}

function createNameConflict(name: string): Conflict {
  return new Conflict(`A project named ${name} already exists in this organization.`);
}
