import { and, desc, eq, gt, inArray, ne, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context/context.ts';
import { apiKeys, identitySessions, sessions } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { whereKeyWithin } from './api-scopes.ts';
import { SESSION_LIFETIME_SECONDS } from './sessions.ts';

/** Maximum number of listed sessions. Sessions end after half a day, so a user rarely has more. */
const MAX_SESSIONS = 100;

export interface OwnSession {
  id: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
  browser: string | null;
  /** Id of the API key with which the browser signed in. Null if an identity provider identified the user. */
  keyId: string | null;
  isCurrent: boolean;
}

/**
 * Returns the SQL condition that the caller may see a session that an API key opened. A caller with fewer rights
 * than the user sees only sessions that have the same limits.
 */
function whereOwnKey({ actor, organizationId }: TenantContext): SQL | undefined {
  return and(
    eq(apiKeys.userId, actor.userId),
    eq(apiKeys.organizationId, organizationId),
    actor.projectId ? eq(apiKeys.projectId, actor.projectId) : undefined,
    whereKeyWithin(actor.scope),
  );
}

/** Sessions that an identity provider opened have all rights of their user. */
const whereOwnIdentity = ({ actor, organizationId }: TenantContext): SQL | undefined =>
  and(
    eq(identitySessions.userId, actor.userId),
    eq(identitySessions.organizationId, organizationId),
    actor.projectId || actor.scope !== 'admin' ? sql`false` : undefined,
  );

const selectOwnKeys = (ctx: TenantContext) =>
  ctx.db.select({ id: apiKeys.id }).from(apiKeys).where(whereOwnKey(ctx));

/** Returns the sessions of the caller's user in the organization, those that end last first. */
export async function listOwnSessions(ctx: TenantContext): Promise<OwnSession[]> {
  const now = new Date();
  const byKey = ctx.db
    .select({
      id: sessions.id,
      lastUsedAt: sessions.lastUsedAt,
      expiresAt: sessions.expiresAt,
      browser: sessions.browser,
      keyId: sql<string | null>`${sessions.apiKeyId}`,
    })
    .from(sessions)
    .where(and(inArray(sessions.apiKeyId, selectOwnKeys(ctx)), gt(sessions.expiresAt, now)));
  const byIdentity = ctx.db
    .select({
      id: identitySessions.id,
      lastUsedAt: identitySessions.lastUsedAt,
      expiresAt: identitySessions.expiresAt,
      browser: identitySessions.browser,
      keyId: sql<string | null>`null`,
    })
    .from(identitySessions)
    .where(and(whereOwnIdentity(ctx), gt(identitySessions.expiresAt, now)));
  const rows = await unionAll(byKey, byIdentity).orderBy(desc(sql`expires_at`)).limit(MAX_SESSIONS);
  return rows.map((row) => ({
    ...row,
    // Every session has the same lifetime, so the time of the sign-in follows from its end.
    createdAt: new Date(row.expiresAt.getTime() - SESSION_LIFETIME_SECONDS * 1000),
    isCurrent: row.id === ctx.actor.sessionId,
  }));
}

/** Ends a session of the caller's user. Throws NotFound for all other sessions. */
export async function endOwnSession(ctx: TenantContext, id: string): Promise<void> {
  const ended = await deleteOwn(ctx, (column) => eq(column, id));
  if (ended === 0) throw new NotFound('Session', id);
}

/** Ends all sessions of the caller's user except the one of the request. Returns their number. */
export const endOtherSessions = (ctx: TenantContext): Promise<number> =>
  deleteOwn(ctx, (column) => ne(column, ctx.actor.sessionId ?? ''));

async function deleteOwn(
  ctx: TenantContext,
  isChosen: (column: typeof sessions.id | typeof identitySessions.id) => SQL,
): Promise<number> {
  const results = await ctx.db.batch([
    ctx.db
      .delete(sessions)
      .where(and(inArray(sessions.apiKeyId, selectOwnKeys(ctx)), isChosen(sessions.id)))
      .returning({ id: sessions.id }),
    ctx.db
      .delete(identitySessions)
      .where(and(whereOwnIdentity(ctx), isChosen(identitySessions.id)))
      .returning({ id: identitySessions.id }),
  ]);
  return results.flat().length;
}
