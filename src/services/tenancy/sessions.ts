import { and, eq, gt, lte } from 'drizzle-orm';
import type { Actor, Context } from '#src/context/context.ts';
import { apiKeys, identitySessions, members, sessions } from '#src/db/schema/index.ts';
import { Unauthenticated } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sign, verify } from '#src/lib/secrets/hmac.ts';
import { findKeyActor, LAST_USED_RESOLUTION_MS, toActor } from './api-keys.ts';
import { countSignIn, identifyCaller } from './rate-limit.ts';
import { isKeyMembership } from './request-scope.ts';

export const SESSION_LIFETIME_SECONDS = 12 * 60 * 60;

/**
 * Exchanges an API key for a signed cookie value. The session ends on sign-out, when its key is deleted, or
 * after its lifetime. The attempt counts against the rate limits of `address`. `browser` describes the browser
 * in the list of the user's sessions.
 */
export async function openSession(
  ctx: Context,
  apiKey: string,
  address: string,
  browser: string | null,
): Promise<{ session: string; actor: Actor }> {
  countSignIn(ctx, address);
  const actor = await identifyCaller(ctx, address, apiKey, () => findKeyActor(ctx, apiKey));
  if (!actor) throw new Unauthenticated('Unknown, revoked or expired API key.');
  const session = await openKeySession(ctx, actor.keyId!, browser);
  return { session, actor };
}

/** Creates a session of an API key that was already checked. Returns the value of its cookie. */
export async function openKeySession(
  ctx: Context,
  apiKeyId: string,
  browser: string | null,
): Promise<string> {
  const id = newId();
  await ctx.db.batch([
    ctx.db.delete(sessions).where(lte(sessions.expiresAt, new Date())),
    ctx.db.insert(sessions).values({ id, apiKeyId, browser, expiresAt: getSessionExpiry() }),
  ]);
  return signSession(ctx, id);
}

/** Ids of sessions that an identity provider opened begin with this prefix. */
const IDENTITY_PREFIX = 'idp-';

/** Creates a session of a member whom an identity provider has identified. Returns the value of its cookie. */
export async function openIdentitySession(
  ctx: Context,
  member: { organizationId: string; userId: string; browser: string | null },
): Promise<string> {
  const id = `${IDENTITY_PREFIX}${newId()}`;
  await ctx.db.batch([
    ctx.db.delete(identitySessions).where(lte(identitySessions.expiresAt, new Date())),
    ctx.db.insert(identitySessions).values({ id, ...member, expiresAt: getSessionExpiry() }),
  ]);
  return signSession(ctx, id);
}

const getSessionExpiry = () => new Date(Date.now() + SESSION_LIFETIME_SECONDS * 1000);

const signSession = async ({ settings }: Context, id: string) =>
  `${id}.${await sign(settings.SESSION_SECRET, buildSignedText(id))}`;

export async function findSessionActor(ctx: Context, cookie: string): Promise<Actor | undefined> {
  const id = await readSessionId(ctx, cookie);
  if (id === undefined) return undefined;
  if (id.startsWith(IDENTITY_PREFIX)) return findIdentityActor(ctx, id);
  const [row] = await ctx.db
    .select({ key: apiKeys, role: members.role, session: sessions })
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.apiKeyId))
    .leftJoin(members, isKeyMembership(apiKeys))
    .where(and(eq(sessions.id, id), gt(sessions.expiresAt, new Date())));
  const actor = row && toActor(ctx, row.key, row.role);
  if (!actor) return undefined;
  recordUse(ctx, sessions, row.session);
  return { ...actor, sessionId: id, signedInUntil: row.session.expiresAt };
}

/** Stores when a session was last used, at most once a minute. */
function recordUse(
  ctx: Context,
  table: typeof sessions | typeof identitySessions,
  { id, lastUsedAt }: { id: string; lastUsedAt: Date | null },
): void {
  const now = Date.now();
  if (lastUsedAt && now - lastUsedAt.getTime() <= LAST_USED_RESOLUTION_MS) return;
  ctx.defer(
    ctx.db
      .update(table)
      .set({ lastUsedAt: new Date(now) })
      .where(eq(table.id, id))
      .run(),
  );
}

/** Returns the caller of an identity provider's session. It reaches the organization of the provider only. */
async function findIdentityActor(ctx: Context, id: string): Promise<Actor | undefined> {
  const [row] = await ctx.db
    .select({ session: identitySessions, role: members.role })
    .from(identitySessions)
    .innerJoin(members, isKeyMembership(identitySessions))
    .where(and(eq(identitySessions.id, id), gt(identitySessions.expiresAt, new Date())));
  if (!row) return undefined;
  const { userId, organizationId, expiresAt } = row.session;
  recordUse(ctx, identitySessions, row.session);
  return {
    userId,
    organizationId,
    keyId: null,
    sessionId: id,
    projectId: null,
    organizationOnly: true,
    role: row.role,
    scope: 'admin',
    signedInUntil: expiresAt,
  };
}

/** Ends a console session. A cookie without a valid session is ignored. */
export async function closeSession(ctx: Context, cookie: string): Promise<void> {
  const id = await readSessionId(ctx, cookie);
  if (id !== undefined) await endSession(ctx, id);
}

/** Ends the console session with an id that `readSessionId` returned. */
export async function endSession(ctx: Context, id: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(sessions).where(eq(sessions.id, id)),
    ctx.db.delete(identitySessions).where(eq(identitySessions.id, id)),
  ]);
}

const buildSignedText = (id: string) => `session.${id}`;

/** Returns the session id in a cookie. Returns `undefined` if the signature is invalid. */
export async function readSessionId({ settings }: Context, cookie: string): Promise<string | undefined> {
  const [id, signature, ...more] = cookie.split('.');
  if (!id || !signature || more.length > 0) return undefined;
  return (await verify(settings.SESSION_SECRET, buildSignedText(id), signature)) ? id : undefined;
}
