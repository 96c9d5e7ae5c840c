import { exports } from 'cloudflare:workers';
import { expect } from 'vitest';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';

/** Origin of the service in these tests. Clients refuse token endpoints without https. */
export const ORIGIN = 'https://sluice.test';
export const RESOURCE = `${ORIGIN}/mcp`;
export const CALLBACK = 'https://assistant.example/callback';

export const fetchOrigin = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const worker = (exports as unknown as { default: Fetcher }).default;
  return worker.fetch(new Request(input, init));
};

/** Signs a browser in with an API key and returns its cookie. */
export async function signIn(key: string): Promise<string> {
  const answer = await fetchOrigin(`${ORIGIN}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify({ api_key: key }),
  });
  expect(answer.ok).toBe(true);
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

export interface Consent {
  redirect_to?: string;
  [member: string]: unknown;
}

/** Sends a request as the consent page of the console does. */
export async function consent(
  cookie: string,
  request: object,
  more: { decision?: 'allow' | 'refuse'; can_write?: boolean } = {},
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: Consent }> {
  const answer = await fetchOrigin(`${ORIGIN}/oauth/consent${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN, cookie, ...headers },
    body: JSON.stringify({ request, ...more }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Returns the query of an authorization URL as an object, as the console's page reads it. */
export const readQuery = (url: string | URL) => Object.fromEntries(new URL(url).searchParams);

export async function register(redirectUris: unknown = [CALLBACK], name: unknown = 'Assistant') {
  const answer = await fetchOrigin(`${ORIGIN}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: redirectUris }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

export async function postForm(path: string, form: Record<string, string> | [string, string][]) {
  const answer = await fetchOrigin(ORIGIN + path, { method: 'POST', body: new URLSearchParams(form) });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : {}) as Record<string, string> };
}

export const VERIFIER = 'a-verifier-of-the-tests-that-is-long-enough-for-it';

export async function buildRequest(clientId: string, more: Record<string, string> = {}) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER));
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    scope: 'sluice:read sluice:write',
    resource: RESOURCE,
    state: 'a state',
    ...more,
  };
}

/** Registers an application, allows it, and returns what it needs for the token request. */
export async function authorize(key: string, canWrite = true, query = '') {
  const { client_id } = (await register()).body as { client_id: string };
  const decision = { decision: 'allow', can_write: canWrite } as const;
  const answer = await consent(await signIn(key), await buildRequest(client_id), decision, { query });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { code } = readQuery(answer.body.redirect_to!);
  return { client_id, code: code!, redirect_uri: CALLBACK, code_verifier: VERIFIER, resource: RESOURCE };
}

export const exchange = (form: Record<string, string>) =>
  postForm('/oauth/token', { grant_type: 'authorization_code', ...form });

export const refresh = (client_id: string, refresh_token: string) =>
  postForm('/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token });

export async function connect(key: string, canWrite = true, query = '') {
  const form = await authorize(key, canWrite, query);
  const { status, body } = await exchange(form);
  expect(status, JSON.stringify(body)).toBe(200);
  return {
    clientId: form.client_id,
    access: body.access_token!,
    refresh: body.refresh_token!,
    scope: body.scope,
  };
}

/** Calls a tool with an access token. Returns the status and the result or the error. */
export async function useTool(token: string, name = 'list_pipelines', args: object = {}, query = '') {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const answer = await fetchOrigin(`${RESOURCE}${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify(message),
  });
  const text = await answer.text();
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  return {
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    text: isStream ? /^data: (.*)$/m.exec(text)![1]! : text,
  };
}
