import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '#src/app.ts';
import type { Bindings } from '#src/settings/env.ts';
import { BASE } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

// The clock is fake, because limits recover over time.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const app = createApp();
/** Number of statements sent to the database since the last start. */
let statements = 0;
let bindings: Bindings = env;

/** Starts the service with these limits and new counters. */
function start(settings: Record<string, string>): void {
  statements = 0;
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name === 'prepare' || name === 'batch') statements += 1;
      const member = Reflect.get(target, name, target) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const limits = {
    RATE_LIMIT_BOOTSTRAP_KEY: 'true',
    RATE_LIMIT_SIGN_INS: '30',
    RATE_LIMIT_WRONG_KEYS: '60',
    TRUSTED_PROXY: 'cloudflare',
    ...settings,
  };
  bindings = { ...env, DB: database, ...limits };
}

interface Asked {
  key?: string;
  address?: string;
  cookie?: string;
  body?: object;
}

async function ask(method: string, path: string, { key, address, cookie, body }: Asked): Promise<Response> {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  });
  if (key) headers.set('authorization', `Bearer ${key}`);
  if (address) headers.set('cf-connecting-ip', address);
  if (cookie) headers.set('cookie', cookie);
  const execution = createExecutionContext();
  const request = new Request(BASE + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const answer = await app.fetch(request, bindings, execution);
  await waitOnExecutionContext(execution);
  return answer;
}

const list = (asked: Asked) => ask('GET', '/api/v1/pipelines', asked);
const read = (asked: Asked) => ask('GET', `/api/v1/pipelines/${crypto.randomUUID()}`, asked);
const signIn = (api_key: string, address: string) =>
  ask('POST', '/api/v1/session', { address, body: { api_key } });
const getStatus = async (answer: Promise<Response>) => (await answer).status;
const wrong = () => `slc_${crypto.randomUUID()}`;

async function expectLimited(answer: Response, atMost: number): Promise<void> {
  expect(answer.status).toBe(429);
  const wait = Number(answer.headers.get('retry-after'));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(atMost);
  expect(await answer.json()).toEqual({
    detail: expect.stringContaining('Too many'),
    code: 'rate_limited',
    request_id: answer.headers.get('x-request-id'),
    retryable: true,
  });
}

describe('requests with one key', () => {
  it('are limited, while another key is not affected', async () => {
    start({ RATE_LIMIT_REQUESTS: '3' });
    const [{ key }, { key: other }] = await Promise.all([createTenant(), createTenant()]);
    for (let sent = 0; sent < 3; sent += 1) expect(await getStatus(list({ key }))).toBe(200);
    await expectLimited(await list({ key }), 20);
    expect(await getStatus(list({ key: other }))).toBe(200);
  });

  it('count from any address, and with the session cookie', async () => {
    start({ RATE_LIMIT_REQUESTS: '2' });
    const { key } = await createTenant();
    const cookie = (await signIn(key, '192.0.2.1')).headers.get('set-cookie')!.split(';')[0]!;
    expect(await getStatus(list({ key, address: '192.0.2.1' }))).toBe(200);
    expect(await getStatus(list({ cookie, address: '192.0.2.2' }))).toBe(200);
    await expectLimited(await list({ cookie, address: '192.0.2.3' }), 30);
    await expectLimited(await list({ key }), 30);
  });

  it('are limited for the bootstrap key too, unless it is exempt', async () => {
    const key = String(env.BOOTSTRAP_API_KEY);
    start({ RATE_LIMIT_REQUESTS: '1' });
    expect(await getStatus(list({ key }))).toBe(200);
    await expectLimited(await list({ key }), 60);
    start({ RATE_LIMIT_REQUESTS: '1', RATE_LIMIT_BOOTSTRAP_KEY: 'false' });
    for (let sent = 0; sent < 3; sent += 1) expect(await getStatus(list({ key }))).toBe(200);
  });

  it('tell the limit to clients of the OpenAI protocol, in the headers that they read', async () => {
    const { key } = await createTenant();
    const models = async () => {
      const { status, headers } = await ask('GET', '/openai/v1/models', { key });
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((part) =>
        headers.get(`x-ratelimit-${part}-requests`),
      );
      return { status, limit, remaining, reset, waits: headers.has('retry-after') };
    };
    start({ RATE_LIMIT_REQUESTS: '2' });
    const common = { limit: '2', waits: false };
    expect(await models()).toEqual({ ...common, status: 200, remaining: '1', reset: '30.000s' });
    expect(await models()).toEqual({ ...common, status: 200, remaining: '0', reset: '60.000s' });
    expect(await models()).toEqual({
      limit: '2',
      waits: true,
      status: 429,
      remaining: '0',
      reset: '60.000s',
    });
    expect((await list({ key })).headers.has('x-ratelimit-limit-requests')).toBe(false);
    start({ RATE_LIMIT_REQUESTS: '0' });
    expect(await models()).toEqual({ status: 200, limit: null, remaining: null, reset: null, waits: false });
  });

  it.each([
    ['/api/v1', 'GET', '/api/v1/pipelines'],
    ['/api/v2', 'GET', '/api/v2/pipelines'],
    ['/compat', 'GET', '/compat/api/v1/pipelines'],
    ['/openai', 'GET', '/openai/v1/models'],
    ['/mcp', 'POST', '/mcp'],
  ])('tell the limit at %s, and how long to wait once it is reached', async (_, method, path) => {
    start({ RATE_LIMIT_REQUESTS: '2' });
    const { key } = await createTenant();
    const body = method === 'POST' ? { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } : {};
    const told = async () => {
      const { status, headers } = await ask(method, path, { key, ...body });
      expect(headers.get('ratelimit-policy')).toBe('"requests";q=2;w=60');
      return [status, headers.get('ratelimit'), headers.get('retry-after')];
    };
    expect(await told()).toEqual([200, '"requests";r=1;t=30', null]);
    expect(await told()).toEqual([200, '"requests";r=0;t=60', null]);
    expect(await told()).toEqual([429, '"requests";r=0;t=60', '30']);
    start({ RATE_LIMIT_REQUESTS: '0' });
    const unlimited = await ask(method, path, { key, ...body });
    expect([unlimited.status, unlimited.headers.has('ratelimit')]).toEqual([200, false]);
  });

  it('are not limited if the limit is 0', async () => {
    start({ RATE_LIMIT_REQUESTS: '0' });
    const { key } = await createTenant();
    for (let sent = 0; sent < 5; sent += 1) expect(await getStatus(list({ key }))).toBe(200);
  });

  it('are answered again after Retry-After', async () => {
    start({ RATE_LIMIT_REQUESTS: '60' });
    const { key } = await createTenant();
    await Promise.all(Array.from({ length: 60 }, () => list({ key })));
    const answer = await list({ key });
    await expectLimited(answer.clone(), 1);
    vi.setSystemTime(Date.now() + Number(answer.headers.get('retry-after')) * 1000);
    expect(await getStatus(list({ key }))).toBe(200);
  });
});

describe('wrong keys from one address', () => {
  beforeEach(() => start({ RATE_LIMIT_WRONG_KEYS: '3' }));
  const address = '192.0.2.10';
  const exhaust = async () => {
    for (let sent = 0; sent < 3; sent += 1)
      expect(await getStatus(list({ key: wrong(), address }))).toBe(401);
  };

  it('are rejected at the limit without a database query', async () => {
    await exhaust();
    statements = 0;
    await expectLimited(await list({ key: wrong(), address }), 20);
    await expectLimited(await read({ key: wrong(), address }), 20);
    await expectLimited(await signIn(wrong(), address), 20);
    expect(statements).toBe(0);
  });

  it('do not affect other addresses', async () => {
    await exhaust();
    expect(await getStatus(list({ key: wrong(), address: '192.0.2.11' }))).toBe(401);
    const { key } = await createTenant();
    expect(await getStatus(list({ key, address: '192.0.2.11' }))).toBe(200);
  });

  it('do not affect known keys of the same address', async () => {
    const { key } = await createTenant();
    expect(await getStatus(list({ key, address }))).toBe(200);
    await exhaust();
    expect(await getStatus(list({ key, address }))).toBe(200);
    expect(await getStatus(list({ key: String(env.BOOTSTRAP_API_KEY), address }))).toBe(200);
  });

  it('still count after a valid key was used', async () => {
    const { key } = await createTenant();
    expect(await getStatus(list({ key, address }))).toBe(200);
    await exhaust();
    for (let sent = 0; sent < 3; sent += 1) expect(await getStatus(list({ key, address }))).toBe(200);
    expect(await getStatus(list({ key: wrong(), address }))).toBe(429);
  });

  it('include a key that was valid before it was revoked', async () => {
    const { key, organizationId } = await createTenant();
    expect(await getStatus(list({ key, address }))).toBe(200);
    await exhaust();
    await env.DB.prepare('delete from api_keys where organization_id = ?').bind(organizationId).run();
    expect(await getStatus(list({ key, address }))).toBe(401);
    expect(await getStatus(list({ key, address }))).toBe(429);
  });

  it('block a valid key that this isolate has not seen', async () => {
    const { key } = await createTenant();
    await exhaust();
    expect(await getStatus(list({ key, address }))).toBe(429);
  });

  it('count when they are sent concurrently', async () => {
    const sent = Array.from({ length: 10 }, () => getStatus(list({ key: wrong(), address })));
    expect((await Promise.all(sent)).filter((status) => status === 401)).toHaveLength(3);
  });

  it('do not include valid keys', async () => {
    const { key } = await createTenant();
    for (let sent = 0; sent < 6; sent += 1) expect(await getStatus(list({ key, address }))).toBe(200);
    expect(await getStatus(list({ key: wrong(), address }))).toBe(401);
  });

  it('count for a whole IPv6 network, and for an IPv4-mapped address', async () => {
    for (const at of [1, 2, 3]) await list({ key: wrong(), address: `2001:db8:1:2::${at}` });
    expect(await getStatus(list({ key: wrong(), address: '2001:db8:1:2:ffff::9' }))).toBe(429);
    expect(await getStatus(list({ key: wrong(), address: '2001:db8:1:3::1' }))).toBe(401);
    await exhaust();
    expect(await getStatus(list({ key: wrong(), address: `::ffff:${address}` }))).toBe(429);
  });
});

describe('a client address header from an untrusted proxy', () => {
  it('gives a client no separate limit', async () => {
    start({ RATE_LIMIT_WRONG_KEYS: '3', TRUSTED_PROXY: 'none' });
    const guess = (last: number) => list({ key: wrong(), address: `192.0.2.${last}` });
    for (const last of [1, 2, 3]) expect(await getStatus(guess(last))).toBe(401);
    expect(await getStatus(guess(4))).toBe(429);
  });

  it('gives a sign-in no separate limit', async () => {
    start({ RATE_LIMIT_SIGN_INS: '1', TRUSTED_PROXY: 'none' });
    expect(await getStatus(signIn(wrong(), '192.0.2.1'))).toBe(401);
    expect(await getStatus(signIn(wrong(), '192.0.2.2'))).toBe(429);
  });

  it('is not needed for a request to be limited', async () => {
    start({ RATE_LIMIT_WRONG_KEYS: '1' });
    expect(await getStatus(list({ key: wrong() }))).toBe(401);
    expect(await getStatus(list({ key: wrong() }))).toBe(429);
  });
});

describe('signing in from one address', () => {
  it('is limited for right and wrong keys, while another address is not affected', async () => {
    start({ RATE_LIMIT_SIGN_INS: '2' });
    const { key } = await createTenant();
    expect(await getStatus(signIn(wrong(), '192.0.2.20'))).toBe(401);
    expect(await getStatus(signIn(key, '192.0.2.20'))).toBe(204);
    await expectLimited(await signIn(key, '192.0.2.20'), 30);
    expect(await getStatus(signIn(key, '192.0.2.21'))).toBe(204);
  });
});
