import { Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono';
import { readClientAddress } from '#src/api/http/client-address.ts';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { readJson } from '#src/api/http/read-input.ts';
import { DomainError, RateLimited } from '#src/lib/errors.ts';
import { OAuthError } from '#src/services/applications/oauth-error.ts';
import { registerClient } from '#src/services/applications/registered-client.ts';
import { requireResource } from '#src/services/applications/resource.ts';
import { SCOPES } from '#src/services/applications/scopes.ts';
import { exchangeCode, refreshTokens, revokeToken } from '#src/services/applications/tokens.ts';
import { countSignIn, identifyCaller } from '#src/services/tenancy/rate-limit.ts';
import { publicOrigin } from '#src/settings/settings.ts';
import { answerConsent } from './consent.ts';
import { type Form, readForm, requireParameter } from './form.ts';

const REGISTRATION_BYTES = 16 * 1024;
const PREFLIGHT_SECONDS = 600;

/** Console page on which the user allows or refuses an application. It is the authorization endpoint. */
const CONSENT_PAGE = '/console/connect';

/** Returns the authorization server metadata (RFC 8414) of an issuer. */
const describeAuthorizationServer = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + CONSENT_PAGE,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs/guide/reference/mcp`,
});

/**
 * Creates the routes of the OAuth 2.1 authorization server for `/mcp`. They are not in the OpenAPI description, because
 * OAuth defines them and applications find them by their metadata.
 */
export function oauthRoutes() {
  const routes = new Hono<ApiEnv>();
  routes.use('/.well-known/oauth-authorization-server', allowEveryOrigin);
  routes.get('/.well-known/oauth-authorization-server', (c) =>
    c.json(describeAuthorizationServer(readIssuer(c))),
  );
  for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke']) routes.use(path, allowEveryOrigin);
  routes.post('/oauth/register', (c) =>
    answer(c, async () => {
      const context = c.get('context');
      countSignIn(context, readClientAddress(c.req.raw, context.settings));
      const { id, name, redirectUris } = await registerClient(
        context,
        await readJson(c.req.raw, REGISTRATION_BYTES),
      );
      const client = {
        client_id: id,
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      };
      return c.json(client, 201);
    }),
  );
  routes.post('/oauth/token', (c) =>
    answer(c, async () => c.json(await issue(c, await readForm(c.req.raw)))),
  );
  routes.post('/oauth/revoke', (c) =>
    answer(c, async () => {
      const context = c.get('context');
      countSignIn(context, readClientAddress(c.req.raw, context.settings));
      const form = await readForm(c.req.raw);
      const [clientId, token] = [requireParameter(form, 'client_id'), requireParameter(form, 'token')];
      await revokeToken(context, clientId, token);
      return c.body(null, 200);
    }),
  );
  routes.post('/oauth/consent', answerConsent);
  return routes;
}

export const readIssuer = (c: HonoContext<ApiEnv>): string =>
  publicOrigin(c.get('context').settings, c.req.url);

/**
 * Lets web pages of any origin call an endpoint. These endpoints ignore cookies, so a page gains nothing that any
 * program does not have.
 */
export const allowEveryOrigin: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.method === 'OPTIONS') {
    c.res = new Response(null, { status: 204 });
    c.header('access-control-allow-methods', 'GET, POST');
    c.header('access-control-allow-headers', 'content-type, mcp-protocol-version');
    c.header('access-control-max-age', String(PREFLIGHT_SECONDS));
  } else await next();
  c.header('access-control-allow-origin', '*');
};

/** Exchanges a code or refresh token. Wrong ones count against the limit of wrong credentials of the client's address. */
async function issue(c: HonoContext<ApiEnv>, form: Form) {
  const context = c.get('context');
  const clientId = requireParameter(form, 'client_id');
  requireResource(form.get('resource'), readIssuer(c));
  const grant = requireParameter(form, 'grant_type');
  const isCode = grant === 'authorization_code';
  if (!isCode && grant !== 'refresh_token') {
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  }
  const credential = requireParameter(form, isCode ? 'code' : 'refresh_token');
  const address = readClientAddress(c.req.raw, context.settings);
  const verifier = isCode ? requireParameter(form, 'code_verifier') : '';
  const redirectUri = form.get('redirect_uri');
  const tokens = await identifyCaller(context, address, credential, () =>
    isCode
      ? exchangeCode(context, { clientId, code: credential, verifier, redirectUri })
      : refreshTokens(context, { clientId, token: credential }),
  );
  if (tokens) return tokens;
  const what = isCode ? 'code' : 'refresh_token';
  throw new OAuthError(
    'invalid_grant',
    `${what} is wrong, was used before, has expired or belongs to another client`,
  );
}

/** Sends an answer that is not stored by caches, and converts errors to the format of RFC 6749, section 5.2. */
async function answer(c: HonoContext<ApiEnv>, work: () => Promise<Response>): Promise<Response> {
  c.header('cache-control', 'no-store');
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) {
      return c.json({ error: error.code, error_description: error.message }, 400);
    }
    if (!(error instanceof DomainError) || error instanceof RateLimited || error.code === 'internal')
      throw error;
    return c.json({ error: 'invalid_request', error_description: error.message }, 400);
  }
}
