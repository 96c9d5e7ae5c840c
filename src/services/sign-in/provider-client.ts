import * as oauth from 'oauth4webapi';
import type { Context } from '#src/context/context.ts';
import type { IdentityProvider } from '#src/settings/identity-providers.ts';
import type { Settings } from '#src/settings/settings.ts';
import { createGuardedFetch } from '#src/upstream/http.ts';
import { SignInRefused } from './refusal.ts';
import type { Transaction } from './transaction.ts';

/** Time in milliseconds for which an isolate keeps the discovery document and the keys of a provider. */
const DISCOVERY_MS = 60 * 60_000;
const SILENCE_SECONDS = 10;
const TOTAL_SECONDS = 20;
const MAX_BYTES = 1024 * 1024;
/** Maximum age of an ID token in seconds, and maximum difference of the clocks. */
const MAX_TOKEN_AGE_SECONDS = 600;
const CLOCK_TOLERANCE_SECONDS = 60;

interface Discovered {
  server: oauth.AuthorizationServer;
  keys: oauth.JWKSCacheInput;
  until: number;
}

const discovered = new WeakMap<Settings, Map<string, Discovered>>();

/** Claims of an account. All of them come from the provider's signed token or its userinfo endpoint. */
export type Claims = Record<string, unknown> & { sub: string };

/** Options of each call. The operator trusts the issuer's origin, which may be private. Others must be public. */
function createOptions({ settings }: Context, { issuer, name, client_secret: secret }: IdentityProvider) {
  const { origin, protocol } = new URL(issuer);
  const guarded = (trusted: boolean) =>
    createGuardedFetch({
      name: `The identity provider ${name}`,
      settings,
      trusted,
      silenceSeconds: SILENCE_SECONDS,
      totalSeconds: TOTAL_SECONDS,
      maxBytes: MAX_BYTES,
      ...(secret && { secrets: [secret] }),
    });
  return {
    [oauth.customFetch]: (url: string, init: RequestInit) =>
      guarded(new URL(url).origin === origin)(url, { ...init, redirect: undefined } as RequestInit),
    [oauth.allowInsecureRequests]: protocol === 'http:',
  };
}

async function discover(ctx: Context, provider: IdentityProvider): Promise<Discovered> {
  const known = discovered.get(ctx.settings) ?? new Map<string, Discovered>();
  discovered.set(ctx.settings, known);
  const kept = known.get(provider.issuer);
  if (kept && kept.until > Date.now()) return kept;
  const issuer = new URL(provider.issuer);
  const answer = await oauth.discoveryRequest(issuer, { ...createOptions(ctx, provider), algorithm: 'oidc' });
  const server = await oauth.processDiscoveryResponse(issuer, answer);
  const found = { server, keys: {}, until: Date.now() + DISCOVERY_MS };
  known.set(provider.issuer, found);
  return found;
}

const toClient = ({ client_id }: IdentityProvider): oauth.Client => ({
  client_id,
  [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
});

function chooseClientAuth({ client_secret: secret }: IdentityProvider, server: oauth.AuthorizationServer) {
  if (secret === undefined) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

/** Creates the secrets of a sign-in and returns the address of the provider that the browser opens. */
export async function buildAuthorizationUrl(
  ctx: Context,
  provider: IdentityProvider,
  redirectUri: string,
): Promise<{ location: string; state: string; nonce: string; verifier: string }> {
  const { server } = await discover(ctx, provider);
  if (!server.authorization_endpoint)
    throw new SignInRefused('failed', 'The provider has no authorization_endpoint');
  const [state, nonce, verifier] = [
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
    oauth.generateRandomCodeVerifier(),
  ];
  const url = new URL(server.authorization_endpoint);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: redirectUri,
    scope: provider.scopes,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })) {
    url.searchParams.set(name, value);
  }
  return { location: url.href, state, nonce, verifier };
}

/**
 * Exchanges the code of a callback for the claims of the account. Checks state, issuer, audience, nonce, times,
 * the PKCE verifier and the signature of the ID token. Throws if any of them is wrong.
 */
export async function exchangeCode(
  ctx: Context,
  provider: IdentityProvider,
  { callback, transaction, redirectUri }: { callback: URL; transaction: Transaction; redirectUri: string },
): Promise<Claims> {
  const { server, keys } = await discover(ctx, provider);
  const client = toClient(provider);
  const options = createOptions(ctx, provider);
  const parameters = oauth.validateAuthResponse(server, client, callback, transaction.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    chooseClientAuth(provider, server),
    parameters,
    redirectUri,
    transaction.verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: transaction.nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, answer, { ...options, [oauth.jwksCache]: keys });
  const claims = oauth.getValidatedIdTokenClaims(tokens)!;
  requireFresh(claims.iat);
  if (!server.userinfo_endpoint || claims.email !== undefined) return claims;
  const told = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  return { ...(await oauth.processUserInfoResponse(server, client, claims.sub, told)), ...claims };
}

function requireFresh(issuedAt: number): void {
  const age = Date.now() / 1000 - issuedAt;
  if (age < -CLOCK_TOLERANCE_SECONDS || age > MAX_TOKEN_AGE_SECONDS) {
    throw new SignInRefused('failed', 'The ID token was not issued just now (iat)');
  }
}
