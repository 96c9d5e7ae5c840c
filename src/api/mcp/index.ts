import { Hono, type Context as HonoContext } from 'hono';
import { admit } from '#src/api/http/admission.ts';
import { authenticate, type Caller } from '#src/api/http/auth.ts';
import { readClientAddress } from '#src/api/http/client-address.ts';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { decodeQuery, readJson } from '#src/api/http/read-input.ts';
import { errorResponse } from '#src/api/http/respond.ts';
import { allowEveryOrigin } from '#src/api/oauth/index.ts';
import { scopeQuery } from '#src/api/operation/endpoint.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { withoutPermit } from '#src/lib/admission/current-permit.ts';
import { DomainError, TooLarge, Unauthenticated, UnsupportedMediaType } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { BucketState } from '#src/lib/token-buckets.ts';
import { findApplicationActor } from '#src/services/applications/find-actor.ts';
import { SCOPES } from '#src/services/applications/scopes.ts';
import { ACCESS_PREFIX } from '#src/services/applications/tokens.ts';
import { ExpiredKey } from '#src/services/tenancy/api-scopes.ts';
import { countRequest, identifyCaller } from '#src/services/tenancy/rate-limit.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { publicOrigin } from '#src/settings/settings.ts';
import { requireTrustedOrigin } from './origins.ts';
import { createSessionId } from './running-calls.ts';

const METADATA_PATH = '/.well-known/oauth-protected-resource';

const KEY_NEEDED =
  'This endpoint needs an API key of this installation, or an access token that its authorization server issued, sent ' +
  'as "Authorization: Bearer <key>".';

/** Maximum size of a call's body in bytes. Files are not sent in calls, so the limit is small. */
const LIMIT_BYTES = 1024 * 1024;

const LONGEST_ID = 200;

/** Header with the session id of a client, by which its calls can be cancelled. */
const SESSION_ID = 'mcp-session-id';

/**
 * Only version of the protocol in which a request may contain several messages. Its clients send no version with their
 * requests, because the header was introduced later.
 */
const BATCH_VERSION = '2025-03-26';
const MAX_BATCH = 20;

const PARSE_ERROR = -32700;

const INVALID_REQUEST = -32600;

/** Error code of rejected requests, from the range that JSON-RPC reserves for servers. */
const REFUSED = -32000;

/** Builds a JSON-RPC error response that names no request id. */
const refusal = (status: number, code: number, message: string) =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

/**
 * Creates the routes of the Model Context Protocol over streamable HTTP. Sessions have no state, and their ids only name
 * calls that a client cancels. They are not in
 * the OpenAPI description, because `tools/list` describes the tools.
 */
export function mcpRoutes() {
  const routes = new Hono<ApiEnv>();
  for (const path of [METADATA_PATH, `${METADATA_PATH}/mcp`]) routes.use(path, allowEveryOrigin);
  routes.get(METADATA_PATH, (c) => c.json(protectedResource(c.get('context'), c.req.url, '')));
  routes.get(`${METADATA_PATH}/mcp`, (c) => c.json(protectedResource(c.get('context'), c.req.url, '/mcp')));
  routes.use('/mcp', requireTrustedOrigin);
  routes.all('/mcp', (c) => admit(c, () => answer(c)));
  return routes;
}

async function answer(c: HonoContext<ApiEnv>): Promise<Response> {
  const context = c.get('context');
  const request = c.req.raw;
  const onCount = (state: BucketState) => c.set('requestLimit', state);
  const ctx = await authenticateCaller(c, onCount);
  if (ctx instanceof Response) return ctx;
  const message = request.method === 'POST' ? await withoutPermit(() => readMessage(request)) : undefined;
  if (message instanceof Response) return message;
  // The request itself is already counted. The other messages of a batch count like requests of their own.
  for (const _ of [message].flat().slice(1)) await countRequest(context, ctx.actor, onCount);
  if (request.method !== 'GET' && request.method !== 'POST' && request.method !== 'DELETE') {
    return refusal(405, -32000, 'Method not allowed.');
  }
  // The MCP server is loaded at the first request, because loading it earlier would slow down the start of
  // the service.
  const { handleCancellation, isInitialize, serve, startsJob } = await import('./server.ts');
  if (lacksScope(ctx) && [message].flat().some(startsJob)) return refuseScope(context, request.url);
  const sessionId = request.headers.get(SESSION_ID);
  for (const each of [message].flat()) handleCancellation(each, { ctx, sessionId });
  const answered = await serve(request, message, {
    ...{ ctx, sessionId, requestId: c.get('requestId') },
    address: readClientAddress(request, context.settings),
  });
  if (!answered.ok || ![message].flat().some(isInitialize)) return answered;
  const begun = new Response(answered.body, answered);
  begun.headers.set(SESSION_ID, createSessionId());
  return begun;
}

/** Authenticates the caller by API key or OAuth access token. Cookies are ignored, because browsers attach them automatically. */
async function authenticateCaller(
  c: HonoContext<ApiEnv>,
  onCount: (state: BucketState) => void,
): Promise<TenantContext | Response> {
  const context = c.get('context');
  const request = c.req.raw;
  const hasCredentials = request.headers.has('authorization');
  try {
    if (!hasCredentials) throw new Unauthenticated();
    const caller =
      (await authenticateToken(context, request, onCount)) ??
      (await authenticate(context, request, undefined, onCount));
    const query = decodeQuery(scopeQuery, new URL(request.url).searchParams);
    return await caller.tenantContext(parseInput(scopeQuery, query, ['query']));
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    const answer = errorResponse(c, error instanceof ExpiredKey ? error : new Unauthenticated(KEY_NEEDED));
    answer.headers.set(
      'www-authenticate',
      challenge(context, request.url, hasCredentials ? ', error="invalid_token"' : ''),
    );
    return answer;
  }
}

/** Authenticates an OAuth access token. Returns `undefined` if the request has another credential, or none. */
async function authenticateToken(
  context: Context,
  request: Request,
  onCount: (state: BucketState) => void,
): Promise<Caller | undefined> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (!token?.startsWith(ACCESS_PREFIX)) return undefined;
  const address = readClientAddress(request, context.settings);
  const actor = await identifyCaller(context, address, token, () => findApplicationActor(context, token));
  if (!actor) throw new Unauthenticated();
  await countRequest(context, actor, onCount);
  return { tenantContext: (scope) => resolveScope(context, actor, scope) };
}

/** Reads the message or the batch of messages of a request. Returns the error response if the body is not a valid message. */
async function readMessage(request: Request): Promise<unknown> {
  let message: unknown;
  try {
    message = await readJson(request, LIMIT_BYTES);
  } catch (error) {
    if (error instanceof UnsupportedMediaType) return refusal(415, REFUSED, error.message);
    if (error instanceof TooLarge) return refusal(413, REFUSED, error.message);
    if (error instanceof DomainError) return refusal(400, PARSE_ERROR, `Parse error: ${error.message}`);
    throw error;
  }
  if (message === undefined) return refusal(400, PARSE_ERROR, 'Parse error: there is no body');
  if (Array.isArray(message)) {
    const version = request.headers.get('mcp-protocol-version') ?? BATCH_VERSION;
    const isAllowed = version === BATCH_VERSION;
    if (!isAllowed || message.length === 0 || message.length > MAX_BATCH) {
      const text = `Batches are only taken in version ${BATCH_VERSION}, with 1 to ${MAX_BATCH} messages`;
      return refusal(400, INVALID_REQUEST, text);
    }
  }
  const ids = [message].flat().map((each) => ((each ?? {}) as { id?: unknown }).id);
  if (ids.some((id) => typeof id === 'string' && id.length > LONGEST_ID)) {
    return refusal(400, INVALID_REQUEST, `An id may have at most ${LONGEST_ID} characters`);
  }
  return message;
}

/**
 * Returns whether the caller is an application to which its user could still grant writing. Applications of viewers
 * cannot get more rights.
 */
const lacksScope = ({ actor }: TenantContext): boolean =>
  actor.applicationId !== undefined && actor.mayGrantWriting === true;

/** Tells an application that it has to ask its user for the scope that allows writing (RFC 6750, section 3.1). */
function refuseScope(context: Context, requestUrl: string): Response {
  const answer = refusal(
    403,
    REFUSED,
    'This tool needs the scope sluice:write, which the user did not grant.',
  );
  const error = `, error="insufficient_scope", scope="${SCOPES.join(' ')}"`;
  answer.headers.set('www-authenticate', challenge(context, requestUrl, error));
  return answer;
}

/**
 * Returns the protected resource metadata (RFC 9728) of the endpoint at `path`. An empty path means the whole
 * origin.
 */
function protectedResource({ settings }: Context, requestUrl: string, path: string) {
  const origin = publicOrigin(settings, requestUrl);
  return {
    resource: origin + path,
    authorization_servers: [origin],
    scopes_supported: SCOPES,
    resource_name: 'Sluice',
    resource_documentation: `${origin}/docs/guide/reference/mcp`,
    bearer_methods_supported: ['header'],
  };
}

/**
 * Returns the `WWW-Authenticate` challenge (RFC 6750) with the address of the metadata. `error` is the parameter that
 * names the error, or an empty text if the request had no credentials.
 */
function challenge({ settings }: Context, requestUrl: string, error: string): string {
  const metadata = `${publicOrigin(settings, requestUrl)}${METADATA_PATH}/mcp`;
  return `Bearer realm="sluice"${error}, resource_metadata="${metadata}"`;
}
