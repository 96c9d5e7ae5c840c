import { z } from 'zod';
import type { Actor, Context } from '../context.ts';
import { Unauthenticated } from '../errors.ts';
import { fromBase64Url, toBase64Url } from '../lib/base64url.ts';
import { sign, verify } from '../lib/hmac.ts';
import { actorOfKey, actorOfKeyId } from './api-keys.ts';

export const SESSION_LIFETIME_SECONDS = 12 * 60 * 60;

const payload = z.object({ k: z.string(), e: z.number() });

/** A signed cookie value in exchange for a key. It dies with the key, or after its lifetime. */
export async function openSession(ctx: Context, apiKey: string): Promise<string> {
  const actor = await actorOfKey(ctx, apiKey);
  if (!actor) throw new Unauthenticated('Unknown, revoked or expired API key.');
  const expires = Math.floor(Date.now() / 1000) + SESSION_LIFETIME_SECONDS;
  const body = toBase64Url(JSON.stringify({ k: actor.keyId, e: expires }));
  return `${body}.${await sign(ctx.settings.SESSION_SECRET, `session.${body}`)}`;
}

export async function actorOfSession(ctx: Context, cookie: string): Promise<Actor | undefined> {
  const [body, signature] = cookie.split('.');
  if (!body || !signature) return undefined;
  if (!(await verify(ctx.settings.SESSION_SECRET, `session.${body}`, signature))) return undefined;
  const bytes = fromBase64Url(body);
  const content = payload.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  if (!content.success || content.data.e * 1000 <= Date.now()) return undefined;
  return actorOfKeyId(ctx, content.data.k);
}
