import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { apiKeys, members, organizations, projects } from '#src/db/schema/index.ts';
import { Unauthenticated } from '#src/lib/errors.ts';

const columns = {
  key: { id: apiKeys.id, name: apiKeys.name, expiresAt: apiKeys.expiresAt },
  user: { id: members.userId, email: members.email, name: members.name },
  role: members.role,
  organization: { id: organizations.id, name: organizations.name },
  project: { id: projects.id, name: projects.name },
};

/**
 * Who asks, as the organization of the request knows them, and the project that their requests act in there when they
 * name none. Rejects with Unauthenticated when the key or the membership has gone since the request began.
 */
export async function describeCaller({ db, actor, organizationId, projectId }: TenantContext) {
  const [row] = await db
    .select(columns)
    .from(apiKeys)
    .innerJoin(members, and(eq(members.organizationId, organizationId), eq(members.userId, actor.userId)))
    .innerJoin(organizations, eq(organizations.id, organizationId))
    .innerJoin(projects, eq(projects.id, projectId))
    .where(eq(apiKeys.id, actor.keyId));
  if (!row) throw new Unauthenticated();
  return { ...row, scope: scopeOf(actor), onlyProjectId: actor.projectId, endsAt: endOf(actor, row.key) };
}

export type Caller = Awaited<ReturnType<typeof describeCaller>>;

/** How far a key reaches: all that its user is a member of, one organization of those, or one project. */
export const KEY_SCOPES = ['user', 'organization', 'project'] as const;

function scopeOf({ projectId, organizationOnly }: TenantContext['actor']): (typeof KEY_SCOPES)[number] {
  if (projectId) return 'project';
  return organizationOnly ? 'organization' : 'user';
}

/** A session ends with its key, if not before. */
function endOf({ signedInUntil }: TenantContext['actor'], key: { expiresAt: Date | null }): Date | null {
  if (!signedInUntil) return null;
  return key.expiresAt && key.expiresAt < signedInUntil ? key.expiresAt : signedInUntil;
}
