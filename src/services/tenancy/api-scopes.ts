import { inArray, type SQL, sql } from 'drizzle-orm';
import type { Actor } from '#src/context/context.ts';
import { API_SCOPES, type ApiKey, type ApiScope, apiKeys, type Role } from '#src/db/schema/index.ts';
import { Forbidden, Unauthenticated } from '#src/lib/errors.ts';

/** Thrown if an API key has expired. Only callers who know the key learn when it expired. */
export class ExpiredKey extends Unauthenticated {
  constructor(expiredAt: Date) {
    super(`This API key expired at ${expiredAt.toISOString()}. Create a new key.`);
  }
}

/** Returns whether a scope includes another one. Unknown scopes include nothing and are included in nothing. */
export function includesScope(held: ApiScope, needed: ApiScope): boolean {
  const rank = API_SCOPES.indexOf(needed);
  return rank >= 0 && API_SCOPES.indexOf(held) >= rank;
}

export const getLowerScope = (a: ApiScope, b: ApiScope): ApiScope => (includesScope(a, b) ? b : a);

export const getHighestScope = (scopes: readonly ApiScope[]): ApiScope =>
  scopes.reduce((highest, each) => (includesScope(each, highest) ? each : highest));

/** Throws Forbidden and names the missing scope, unless the caller's scope includes the needed one. */
export function requireScope({ scope, applicationId }: Actor, needed: ApiScope): void {
  if (includesScope(scope, needed)) return;
  throw new Forbidden(
    applicationId === undefined
      ? `This needs the scope ${needed}. The API key has only the scope ${scope}. Use a key with the scope ${needed}.`
      : `This needs the scope ${needed}, which this application does not have.`,
  );
}

/** Returns the scope of a stored API key. Keys that were created without a scope have the rights of their role. */
export const getKeyScope = ({ role, scope }: Pick<ApiKey, 'role' | 'scope'>): ApiScope =>
  scope ?? (role === 'viewer' ? 'read' : 'admin');

/** Returns the SQL condition that an API key has no more rights than a scope. */
export function whereKeyWithin(scope: ApiScope): SQL | undefined {
  if (scope === 'admin') return undefined;
  const ofKey = sql`coalesce(${apiKeys.scope}, case ${apiKeys.role} when 'viewer' then 'read' else 'admin' end)`;
  return inArray(
    ofKey,
    API_SCOPES.filter((each) => includesScope(scope, each)),
  );
}

/** Returns the role that remains of a user's role if the API key has a scope. */
export function limitRole(role: Role, scope: ApiScope): Role {
  if (!includesScope(scope, 'write')) return 'viewer';
  return role === 'admin' && scope !== 'admin' ? 'member' : role;
}
