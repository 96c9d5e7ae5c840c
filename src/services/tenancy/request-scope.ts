import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Actor, Context, TenantContext } from '#src/context/context.ts';
import { prepareOnce } from '#src/db/prepare-once.ts';
import {
  type apiKeys,
  type connectedApplications,
  type identitySessions,
  members,
  projects,
} from '#src/db/schema/index.ts';
import { Forbidden, NotFound } from '#src/lib/errors.ts';
import { findRole } from './roles.ts';

export interface RequestedScope {
  project_id?: string | null;
  organization_id?: string | null;
}

const selectProject = prepareOnce((db) =>
  db.query.projects.findFirst({ where: eq(projects.id, sql.placeholder('id')) }).prepare(),
);

/**
 * Determines the organization and project of a request. A project implies its organization, and an
 * organization implies its default project. Without either parameter, the API key determines the project.
 * Throws Forbidden if parameters contradict the key or each other, and NotFound for resources of other
 * tenants.
 */
export async function resolveScope(
  ctx: Context,
  actor: Actor,
  requested: RequestedScope,
): Promise<TenantContext> {
  const wanted = requested.project_id ?? actor.projectId;
  if (actor.projectId && wanted !== actor.projectId) {
    throw new Forbidden('This key is scoped to another project.');
  }
  const organization = requested.organization_id;
  if (organization && !(await canReachOrganization(ctx, actor, organization))) {
    throw new NotFound('Organization', organization);
  }
  const project = wanted
    ? await selectProject(ctx.db).execute({ id: wanted })
    : await findDefaultProject(ctx, actor, organization ?? actor.organizationId);
  if (!project || !(await canReachOrganization(ctx, actor, project.organizationId))) {
    throw new NotFound('Project', wanted ?? undefined);
  }
  if (organization && organization !== project.organizationId) {
    throw new Forbidden('project_id and organization_id contradict each other.');
  }
  return {
    ...ctx,
    actor,
    organizationId: project.organizationId,
    projectId: project.id,
    onlyProjectId: wanted ?? null,
    onlyOrganizationId: organization ?? (actor.organizationOnly ? actor.organizationId : null),
  };
}

/** Throws NotFound unless the caller can see the organization. */
export async function requireOrganization(ctx: TenantContext, organizationId: string): Promise<void> {
  const { actor } = ctx;
  const isVisible = actor.projectId
    ? organizationId === actor.organizationId
    : await canReachOrganization(ctx, actor, organizationId);
  if (!isVisible) throw new NotFound('Organization', organizationId);
}

/** Returns whether the caller can access an organization, through its API key or a membership of its user. */
export async function canReachOrganization(
  ctx: Context,
  actor: Actor,
  organizationId: string,
): Promise<boolean> {
  if (organizationId === actor.organizationId) return true;
  if (actor.organizationOnly) return false;
  return (await findRole(ctx, actor, organizationId)) !== null;
}

async function findDefaultProject(ctx: Context, actor: Actor, organizationId: string) {
  if (actor.defaultProject?.organizationId === organizationId) return actor.defaultProject;
  return ctx.db.query.projects.findFirst({
    where: eq(projects.organizationId, organizationId),
    orderBy: [desc(projects.isDefault), asc(projects.createdAt)],
  });
}

/** Returns the SQL join condition for the default project of an API key's organization. */
export function isDefaultProject(key: Pick<typeof apiKeys, 'organizationId'>) {
  return eq(
    projects.id,
    sql`(select p.id from projects p where p.organization_id = ${key.organizationId}
         order by p.is_default desc, p.created_at limit 1)`,
  );
}

/** Returns the SQL join condition for the membership of the user of an API key, a session or an application. */
export function isKeyMembership(
  key:
    | Pick<typeof apiKeys, 'organizationId' | 'userId'>
    | typeof identitySessions
    | typeof connectedApplications,
) {
  return and(eq(members.organizationId, key.organizationId), eq(members.userId, key.userId));
}
