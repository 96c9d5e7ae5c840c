import { and, eq, gt, lte } from 'drizzle-orm';
import type { Actor, Context } from '#src/context/context.ts';
import { apiKeys, members, sessions } from '#src/db/schema/index.ts';
import { Unauthenticated } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sign, verify } from '#src/lib/secrets/hmac.ts';
import { findKeyActor, toActor } from './api-keys.ts';
import { countSignIn, identifyCaller } from './rate-limit.ts';
import { isKeyMembership } from './request-scope.ts';

export const SESSION_LIFETIME_SECONDS = 12 * 60 * 60;

/**
 * Exchanges an API key for a signed cookie value. The session ends on sign-out, when its key is deleted, or
 * after its lifetime. The attempt counts against the rate limits of `address`.
 */
export async function openSession(ctx: Context, apiKey: string, address: string): Promise<string> {
  countSignIn(ctx, address);
  const actor = await identifyCaller(ctx, address, apiKey, () => findKeyActor(ctx, apiKey));
  if (!actor) throw new Unauthenticated('Unknown, revoked or expired API key.');
  const id = newId();
  const now = Date.now();
  const expiresAt = new Date(now + SESSION_LIFETIME_SECONDS * 1000);
  await ctx.db.batch([
    ctx.db.delete(sessions).where(lte(sessions.expiresAt, new Date(now))),
    ctx.db.insert(sessions).values({ id, apiKeyId: actor.keyId, expiresAt }),
  ]);
  return `${id}.${await sign(ctx.settings.SESSION_SECRET, buildSignedText(id))}`;
}

export async function findSessionActor(ctx: Context, cookie: string): Promise<Actor | undefined> {
  const id = await readSessionId(ctx, cookie);
  if (id === undefined) return undefined;
  const [row] = await ctx.db
    .select({ key: apiKeys, role: members.role, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.apiKeyId))
    .leftJoin(members, isKeyMembership(apiKeys))
    .where(and(eq(sessions.id, id), gt(sessions.expiresAt, new Date())));
  const actor = row && toActor(ctx, row.key, row.role);
  return actor && { ...actor, signedInUntil: row.expiresAt };
}

/** Ends a console session. A cookie without a valid session is ignored. */
export async function closeSession(ctx: Context, cookie: string): Promise<void> {
  const id = await readSessionId(ctx, cookie);
  if (id !== undefined) await ctx.db.delete(sessions).where(eq(sessions.id, id));
}

const buildSignedText = (id: string) => `session.${id}`;

/** Returns the session id in a cookie. Returns `undefined` if the signature is invalid. */
async function readSessionId({ settings }: Context, cookie: string): Promise<string | undefined> {
  const [id, signature, ...more] = cookie.split('.');
  if (!id || !signature || more.length > 0) return undefined;
  return (await verify(settings.SESSION_SECRET, buildSignedText(id), signature)) ? id : undefined;
}
