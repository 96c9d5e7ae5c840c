import { and, asc, eq, ne, notExists } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { DEFAULT_PAGE_SIZE, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { type Project, type ProjectLimits, projects } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { projectLimits } from '#src/services/limits/limits.ts';
import { countStorage } from '#src/services/limits/storage.ts';
import { changedRetention, retention } from '#src/services/retention/settings.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { eraseProjects } from './erase-project.ts';

export const newProject = z.object({
  name: z.string().min(1).max(3000),
  retention: retention
    .nullish()
    .describe('Members that are left out stay as they are; null: all as the installation says.'),
});
export type NewProject = z.infer<typeof newProject>;

export const projectChanges = newProject.extend({
  limits: projectLimits
    .nullish()
    .describe(
      'In place of all limits that it had; what is not named is the default of the installation. Absent: as they are.',
    ),
});
export type ProjectChanges = z.infer<typeof projectChanges>;

export interface ProjectSearch {
  /** Matches exactly. */
  name?: string | null;
  page_size?: number | null;
  page_token?: string | null;
}

function matching(ctx: TenantContext, name: string | null | undefined) {
  return and(
    eq(projects.organizationId, ctx.organizationId),
    ctx.onlyProjectId ? eq(projects.id, ctx.onlyProjectId) : undefined,
    name ? eq(projects.name, name) : undefined,
  );
}

/** Lists the projects of the request's organization, or the one with this name. */
export function listProjects(ctx: TenantContext, name?: string | null): Promise<Project[]> {
  return ctx.db.query.projects.findMany({ where: matching(ctx, name), orderBy: asc(projects.name) });
}

export async function pageProjects(ctx: TenantContext, search: ProjectSearch): Promise<Page<Project>> {
  const size = search.page_size ?? DEFAULT_PAGE_SIZE;
  const after = readPageToken(search.page_token, ['string']);
  const rows = await ctx.db.query.projects.findMany({
    where: and(matching(ctx, search.name), following([projects.name], after, 'asc')),
    orderBy: asc(projects.name),
    limit: size + 1,
  });
  return pageOf(rows, size, (row) => [row.name]);
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
  if (!row) throw nameTaken(input.name);
  return row;
}

/**
 * Creates a project, or returns the existing one with this name. An existing project only takes over
 * `retention`, if it is given.
 */
export async function upsertProject(ctx: TenantContext, input: NewProject): Promise<Project> {
  const [existing] = await listProjects(ctx, input.name);
  if (existing && input.retention !== undefined) return changeProject(ctx, existing.id, input);
  const row = existing ?? (await insertProject(ctx, input)) ?? (await listProjects(ctx, input.name))[0];
  if (!row) throw nameTaken(input.name);
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
      retention: changedRetention(null, input.retention),
    })
    .onConflictDoNothing()
    .returning();
  if (row?.retention) await ctx.objects.retentionClock().watch('soon');
  return row;
}

/** Renames a project and changes its other settings. */
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
      retention: changedRetention(kept, changes.retention),
      ...(limits !== undefined && { limits: limits && numbersOf(limits) }),
    })
    .where(and(eq(projects.id, id), notExists(sameName)))
    .returning();
  // Starts counting the project's files.
  const [[row]] = limits ? await ctx.db.batch([update, countStorage(ctx, id)]) : [await update];
  if (!row) throw nameTaken(name);
  if (changes.retention) await ctx.objects.retentionClock().watch('soon');
  return row;
}

function numbersOf(limits: NonNullable<ProjectChanges['limits']>): ProjectLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, most]) => most !== null && most !== undefined));
}

/** Deletes a project with everything it owns. May be repeated after an interruption. */
export async function deleteProject(ctx: TenantContext, id: string): Promise<void> {
  const project = await getProject(ctx, id);
  await requireAdmin(ctx, project.organizationId);
  if (project.isDefault) throw new Conflict('The default project of an organization cannot be deleted.');
  await eraseProjects(ctx, eq(projects.id, id));
}

function nameTaken(name: string): Conflict {
  return new Conflict(`A project named ${name} exists already in this organization.`);
}
