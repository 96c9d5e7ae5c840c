import { and, eq, lte, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { connectedApplications } from '#src/db/schema/index.ts';
import { BadRequest, Conflict } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { includesScope } from '#src/services/tenancy/api-scopes.ts';
import { findRole } from '#src/services/tenancy/roles.ts';
import { resolveClient } from './client-document.ts';
import { OAuthError } from './oauth-error.ts';
import { matchesRedirectUri } from './redirect-uri.ts';
import type { Client } from './registered-client.ts';
import { requireResource } from './resource.ts';
import { asksToWrite } from './scopes.ts';

const CODE_SECONDS = 60;
/** Maximum number of connected applications of a user in an organization. */
const MAX_APPLICATIONS = 100;

const text = (max: number) => z.string().max(max).optional();

/** Parameters of an authorization request (RFC 6749, RFC 7636 and RFC 8707). Other parameters are ignored. */
export const authorizationRequest = z.object({
  client_id: z.string().max(3_000),
  redirect_uri: z.string().max(500),
  response_type: text(100),
  code_challenge: text(200),
  code_challenge_method: text(20),
  scope: text(1_000),
  state: text(2_000),
  resource: text(500),
});
export type AuthorizationRequest = z.output<typeof authorizationRequest>;

/** What the user is asked, or the address to which the browser has to go because the request is invalid. */
export type Question =
  | { client: Client; redirectHost: string; asksToWrite: boolean }
  | { redirectTo: string };

/**
 * Checks an authorization request. Throws BadRequest if the client or its redirect URI is wrong, because the browser
 * must then not be sent there. Other errors are returned as an address of the client.
 */
export async function readRequest(
  ctx: TenantContext,
  request: AuthorizationRequest,
  issuer: string,
): Promise<Question> {
  const client = await resolveClient(ctx, request.client_id).catch((error: unknown) => {
    throw error instanceof OAuthError ? new BadRequest(error.message) : error;
  });
  if (!matchesRedirectUri(request.redirect_uri, client.redirectUris)) {
    throw new BadRequest('redirect_uri is not one of the addresses that the application registered.');
  }
  try {
    requireValidRequest(request, issuer);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const redirectTo = buildAnswer(request, issuer, { error: error.code, error_description: error.message });
    return { redirectTo };
  }
  const redirectHost = new URL(request.redirect_uri).host;
  return { client, redirectHost, asksToWrite: asksToWrite(request.scope) };
}

function requireValidRequest(request: AuthorizationRequest, issuer: string): void {
  if (request.response_type !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code');
  }
  if (request.code_challenge_method !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256');
  }
  if (!/^[\w-]{43}$/.test(request.code_challenge ?? '')) {
    throw new OAuthError(
      'invalid_request',
      'code_challenge must be the SHA-256 hash of the verifier in base64url',
    );
  }
  requireResource(request.resource, issuer);
}

/** Builds the address that tells the client the answer. It names the issuer against mix-up attacks (RFC 9207). */
export function buildAnswer(
  { redirect_uri, state }: AuthorizationRequest,
  issuer: string,
  answer: Record<string, string>,
): string {
  const url = new URL(redirect_uri);
  const parameters = { ...answer, ...(state !== undefined && { state }), iss: issuer };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Builds the address that tells the client that the user refused. */
export const buildDenial = (request: AuthorizationRequest, issuer: string): string =>
  buildAnswer(request, issuer, { error: 'access_denied', error_description: 'The user refused the request' });

/** Returns whether the user of the request may allow an application to write. */
export async function canGrantWriting(ctx: TenantContext): Promise<boolean> {
  const role = await findRole(ctx, ctx.actor, ctx.organizationId);
  return role !== null && role !== 'viewer' && includesScope(ctx.actor.scope, 'write');
}

/**
 * Connects the application to the project of the request and returns its authorization code. Rows of codes that were
 * not exchanged in time are removed.
 */
export async function connectApplication(
  ctx: TenantContext,
  client: Client,
  request: AuthorizationRequest,
  wantsToWrite: boolean,
): Promise<{ id: string; code: string }> {
  const { db, actor, organizationId, projectId } = ctx;
  const { userId } = actor;
  await db.delete(connectedApplications).where(lte(connectedApplications.expiresAt, new Date()));
  const own = and(
    eq(connectedApplications.organizationId, organizationId),
    eq(connectedApplications.userId, userId),
  );
  const [count] = await db.select({ value: sql<number>`count(*)` }).from(connectedApplications).where(own);
  if (count!.value >= MAX_APPLICATIONS) {
    throw new Conflict(`You have ${MAX_APPLICATIONS} connected applications. Remove one of them first.`);
  }
  const code = `slq_${toBase64Url(crypto.getRandomValues(new Uint8Array(32)))}`;
  const id = newId();
  await db.insert(connectedApplications).values({
    ...{ id, organizationId, userId, projectId },
    apiKeyId: actor.keyId,
    clientId: client.id,
    name: client.name,
    redirectUri: request.redirect_uri,
    canWrite: wantsToWrite && asksToWrite(request.scope) && (await canGrantWriting(ctx)),
    codeHash: await sha256(code),
    codeChallenge: request.code_challenge!,
    expiresAt: new Date(Date.now() + CODE_SECONDS * 1000),
  });
  return { id, code };
}
