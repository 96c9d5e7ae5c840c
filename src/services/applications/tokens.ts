import { and, eq, isNull } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  type ConnectedApplication,
  connectedApplications,
  members,
  type Role,
} from '#src/db/schema/index.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { sign, verify } from '#src/lib/secrets/hmac.ts';
import { isKeyMembership } from '#src/services/tenancy/request-scope.ts';
import { OAuthError } from './oauth-error.ts';
import { canStillWrite, formatScope } from './scopes.ts';

export const ACCESS_SECONDS = 60 * 60;
/** Time in seconds after which an application that does not refresh its tokens has to be connected again. */
const REFRESH_SECONDS = 30 * 24 * 60 * 60;
/**
 * Time in seconds in which a used refresh token gives the same new tokens again, for clients that refresh twice at once
 * or lose the answer.
 */
const REUSE_SECONDS = 30;

/** Prefix of access tokens, by which secret scanners recognise them. */
export const ACCESS_PREFIX = 'slo_';
const REFRESH_PREFIX = 'slr_';

export interface Tokens {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

type Row = { application: ConnectedApplication; role: Role };

const createSecret = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

/** Returns the application that a condition selects, with the present role of its user. */
async function findApplication(ctx: Context, where: ReturnType<typeof eq>): Promise<Row | undefined> {
  const [row] = await ctx.db
    .select({ application: connectedApplications, role: members.role })
    .from(connectedApplications)
    .innerJoin(members, isKeyMembership(connectedApplications))
    .where(where);
  return row;
}

async function disconnect(ctx: Context, { id, name }: ConnectedApplication, reason: string): Promise<void> {
  await ctx.db.delete(connectedApplications).where(eq(connectedApplications.id, id));
  ctx.log.warn('application disconnected', { applicationId: id, name, reason });
}

export interface CodeExchange {
  clientId: string;
  code: string;
  verifier: string;
  /** May be absent, because PKCE already binds the code to its request (OAuth 2.1). */
  redirectUri: string | undefined;
}

/**
 * Exchanges an authorization code for tokens. A second use of the code, and a use by anyone else, disconnects the
 * application. Returns `undefined` if the code is wrong.
 */
export async function exchangeCode(ctx: Context, given: CodeExchange): Promise<Tokens | undefined> {
  const codeHash = await sha256(given.code);
  const row = await findApplication(ctx, eq(connectedApplications.codeHash, codeHash));
  if (!row) return undefined;
  const { application } = row;
  if (application.redeemedAt) {
    await disconnect(ctx, application, 'the code was used again');
    return undefined;
  }
  const isRight =
    application.expiresAt.getTime() > Date.now() &&
    application.clientId === given.clientId &&
    (given.redirectUri === undefined || application.redirectUri === given.redirectUri) &&
    (await isVerifier(given.verifier, application.codeChallenge));
  if (!isRight) {
    await disconnect(ctx, application, 'the code was sent too late or by another client');
    return undefined;
  }
  const condition = and(
    eq(connectedApplications.id, application.id),
    isNull(connectedApplications.redeemedAt),
  );
  const secrets = {
    access: ACCESS_PREFIX + createSecret(),
    refresh: await signRefreshToken(ctx, application.id, createSecret()),
  };
  const tokens = await issueTokens(ctx, row, secrets, condition, { redeemedAt: new Date() });
  if (!tokens) await disconnect(ctx, application, 'the code was used twice at once');
  return tokens;
}

async function isVerifier(verifier: string, challenge: string): Promise<boolean> {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return toBase64Url(new Uint8Array(digest)) === challenge;
}

/**
 * Exchanges a refresh token for new tokens. If the token comes again within `REUSE_SECONDS`, and the new tokens were not
 * refreshed yet, it gives the same new tokens. If it comes later, either the client or a thief used it before, so the
 * application is disconnected. Returns `undefined` if the token is wrong.
 */
export async function refreshTokens(
  ctx: Context,
  { clientId, token }: { clientId: string; token: string },
): Promise<Tokens | undefined> {
  const id = await readRefreshToken(ctx, token);
  const isThis = eq(connectedApplications.id, id ?? '');
  const row = id && (await findApplication(ctx, isThis));
  if (!row) return undefined;
  const { application } = row;
  if (application.clientId !== clientId || application.expiresAt.getTime() <= Date.now()) return undefined;
  const refreshHash = await sha256(token);
  const next = await deriveTokens(ctx, application.id, token);
  if (application.refreshHash === refreshHash) {
    const condition = and(isThis, eq(connectedApplications.refreshHash, refreshHash));
    const tokens = await issueTokens(ctx, row, next, condition, {});
    if (tokens) return tokens;
  }
  // The token was used before, perhaps by another request at the same time.
  const latest = await findApplication(ctx, isThis);
  if (!latest) return undefined;
  const { refreshHash: latestHash, accessExpiresAt } = latest.application;
  const age = accessExpiresAt ? Date.now() - (accessExpiresAt.getTime() - ACCESS_SECONDS * 1000) : Infinity;
  if (latestHash === (await sha256(next.refresh)) && age <= REUSE_SECONDS * 1000) {
    return presentTokens(latest, next);
  }
  await disconnect(ctx, application, 'a refresh token was used again');
  return undefined;
}

interface TokenSecrets {
  access: string;
  refresh: string;
}

/** Returns the tokens that a refresh token gives. They are always the same for one refresh token. */
async function deriveTokens(ctx: Context, id: string, token: string): Promise<TokenSecrets> {
  const { SESSION_SECRET } = ctx.settings;
  return {
    access: ACCESS_PREFIX + (await sign(SESSION_SECRET, `oauth-next-access.${token}`)),
    refresh: await signRefreshToken(ctx, id, await sign(SESSION_SECRET, `oauth-next-refresh.${token}`)),
  };
}

/** Stores new tokens and returns them. Returns `undefined` if the condition no longer holds. */
async function issueTokens(
  ctx: Context,
  row: Row,
  secrets: TokenSecrets,
  condition: ReturnType<typeof and>,
  also: Partial<ConnectedApplication>,
): Promise<Tokens | undefined> {
  const now = Date.now();
  const changed = await ctx.db
    .update(connectedApplications)
    .set({
      ...also,
      accessHash: await sha256(secrets.access),
      accessExpiresAt: new Date(now + ACCESS_SECONDS * 1000),
      refreshHash: await sha256(secrets.refresh),
      expiresAt: new Date(now + REFRESH_SECONDS * 1000),
    })
    .where(condition)
    .returning({ id: connectedApplications.id });
  return changed.length > 0 ? presentTokens(row, secrets) : undefined;
}

const presentTokens = ({ application, role }: Row, { access, refresh }: TokenSecrets): Tokens => ({
  access_token: access,
  token_type: 'Bearer',
  expires_in: ACCESS_SECONDS,
  refresh_token: refresh,
  scope: formatScope(canStillWrite(application.canWrite, role)),
});

const buildSignedText = (payload: string) => `oauth-refresh.${payload}`;

/** Returns a refresh token. Its signature proves that this service issued it, even after it was replaced. */
async function signRefreshToken({ settings }: Context, id: string, secret: string): Promise<string> {
  const payload = `${id}.${secret}`;
  return `${REFRESH_PREFIX}${payload}.${await sign(settings.SESSION_SECRET, buildSignedText(payload))}`;
}

/** Returns the id of the application in a refresh token, or `undefined` if this service did not issue the token. */
async function readRefreshToken({ settings }: Context, token: string): Promise<string | undefined> {
  const [id, secret, signature, ...more] = token.slice(REFRESH_PREFIX.length).split('.');
  if (!token.startsWith(REFRESH_PREFIX) || !id || !secret || !signature || more.length > 0) return undefined;
  const isOwn = await verify(settings.SESSION_SECRET, buildSignedText(`${id}.${secret}`), signature);
  return isOwn ? id : undefined;
}

/**
 * Disconnects the application to which an access or refresh token belongs (RFC 7009). Does nothing for other tokens.
 * Throws OAuthError if the token was issued to another client.
 */
export async function revokeToken(ctx: Context, clientId: string, token: string): Promise<void> {
  const refreshed = await readRefreshToken(ctx, token);
  const { id, accessHash } = connectedApplications;
  const row = await findApplication(ctx, refreshed ? eq(id, refreshed) : eq(accessHash, await sha256(token)));
  if (!row) return;
  if (row.application.clientId !== clientId) {
    throw new OAuthError('invalid_client', 'The token was issued to another client');
  }
  await disconnect(ctx, row.application, 'the application revoked its token');
}
