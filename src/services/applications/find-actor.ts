import { eq } from 'drizzle-orm';
import type { Actor, Context } from '#src/context/context.ts';
import { apiKeys, connectedApplications, members } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { LAST_USED_RESOLUTION_MS } from '#src/services/tenancy/api-keys.ts';
import { isKeyMembership } from '#src/services/tenancy/request-scope.ts';
import { canStillWrite } from './scopes.ts';

/**
 * Returns the caller that an access token identifies. Role, membership and API key are read with each request, so that
 * a change applies at once. Returns `undefined` if the token is unknown or has expired, or if the user or the key is
 * gone.
 */
export async function findApplicationActor(ctx: Context, token: string): Promise<Actor | undefined> {
  const [row] = await ctx.db
    .select({
      application: connectedApplications,
      role: members.role,
      keyEnd: apiKeys.expiresAt,
      keyRole: apiKeys.role,
    })
    .from(connectedApplications)
    .innerJoin(members, isKeyMembership(connectedApplications))
    .leftJoin(apiKeys, eq(apiKeys.id, connectedApplications.apiKeyId))
    .where(eq(connectedApplications.accessHash, await sha256(token)));
  const now = Date.now();
  if (!row || hasPassed(row.application.accessExpiresAt, now) || (row.keyEnd && hasPassed(row.keyEnd, now))) {
    return undefined;
  }
  const { id, userId, organizationId, projectId, canWrite, lastUsedAt } = row.application;
  if (!lastUsedAt || now - lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
    const changed = { lastUsedAt: new Date(now) };
    ctx.defer(
      ctx.db.update(connectedApplications).set(changed).where(eq(connectedApplications.id, id)).run(),
    );
  }
  const isWriter = canStillWrite(true, row.keyRole ?? row.role);
  const isReadOnly = !isWriter || !canWrite;
  return {
    ...{ userId, organizationId, projectId, isReadOnly },
    keyId: null,
    applicationId: id,
    mayGrantWriting: isWriter && !canWrite,
    organizationOnly: true,
    role: isReadOnly ? 'viewer' : row.role,
  };
}

const hasPassed = (end: Date | null, now: number): boolean => !end || end.getTime() <= now;
