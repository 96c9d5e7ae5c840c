import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { apiKeys, members, organizations, projects } from '#src/db/schema/index.ts';
import { Unauthenticated } from '#src/lib/errors.ts';
import { limitRole } from './api-scopes.ts';

const columns = {
  key: { id: apiKeys.id, name: apiKeys.name, expiresAt: apiKeys.expiresAt },
  user: { id: members.userId, email: members.email, name: members.name },
  role: members.role,
  organization: { id: organizations.id, name: organizations.name },
  project: { id: projects.id, name: projects.name },
};

/**
 * Describes the caller, the organization and the project of the request. Throws Unauthenticated if the API
 * key or membership was removed during the request.
 */
export async function describeCaller({ db, actor, organizationId, projectId }: TenantContext) {
  const [row] = await db
    .select(columns)
    .from(members)
    .innerJoin(organizations, eq(organizations.id, organizationId))
    .innerJoin(projects, eq(projects.id, projectId))
    .leftJoin(apiKeys, eq(apiKeys.id, actor.keyId ?? ''))
    .where(and(eq(members.organizationId, organizationId), eq(members.userId, actor.userId)));
  if (!row || (actor.keyId && !row.key)) throw new Unauthenticated();
  return {
    ...row,
    role: limitRole(row.role, actor.scope),
    apiScope: actor.scope,
    scope: getKeyReach(actor),
    onlyProjectId: actor.projectId,
    endsAt: getSessionEnd(actor, row.key),
  };
}

export type Caller = Awaited<ReturnType<typeof describeCaller>>;

/** Possible reaches of an API key: all organizations of its user, one organization, or one project. */
export const KEY_REACHES = ['user', 'organization', 'project'] as const;

function getKeyReach({ projectId, organizationOnly }: TenantContext['actor']): (typeof KEY_REACHES)[number] {
  if (projectId) return 'project';
  return organizationOnly ? 'organization' : 'user';
}

/**
 * Returns the time at which the sign-in session ends, which is never later than the expiry of its API key.
 * Returns null if the request used an API key.
 */
function getSessionEnd(
  { signedInUntil }: TenantContext['actor'],
  key: { expiresAt: Date | null } | null,
): Date | null {
  if (!signedInUntil) return null;
  return key?.expiresAt && key.expiresAt < signedInUntil ? key.expiresAt : signedInUntil;
}
