import { eq } from 'drizzle-orm';
import type { Actor, Context } from '#src/context/context.ts';
import { apiKeys, connectedApplications, members } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { LAST_USED_RESOLUTION_MS } from '#src/services/tenancy/api-keys.ts';
import { getKeyScope, getLowerScope, includesScope, limitRole } from '#src/services/tenancy/api-scopes.ts';
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
      key: { role: apiKeys.role, scope: apiKeys.scope },
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
  // Sessions of identity providers have no key, and all rights of their user.
  const keyScope = row.key ? getKeyScope(row.key) : 'admin';
  const isWriter = canStillWrite(true, row.role) && includesScope(keyScope, 'write');
  const scope = getLowerScope(keyScope, canWrite ? 'write' : 'read');
  return {
    ...{ userId, organizationId, projectId, scope },
    keyId: null,
    applicationId: id,
    mayGrantWriting: isWriter && !canWrite,
    organizationOnly: true,
    role: limitRole(row.role, scope),
  };
}

const hasPassed = (end: Date | null, now: number): boolean => !end || end.getTime() <= now;
