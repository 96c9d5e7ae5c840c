import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '#src/app.ts';
import type { Bindings } from '#src/settings/env.ts';
import { BASE } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

// What a minute allows comes back with time, so none passes but what a test lets pass.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const app = createApp();
/** Statements that reached the database since the last start. */
let statements = 0;
let bindings: Bindings = env;

/** A start of the service with these limits, whose counters begin anew. */
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
  const headers = new Headers({ 'content-type': 'application/json' });
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
const statusOf = async (answer: Promise<Response>) => (await answer).status;
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
  it('end at the limit, while another key goes on', async () => {
    start({ RATE_LIMIT_REQUESTS: '3' });
    const [{ key }, { key: other }] = await Promise.all([createTenant(), createTenant()]);
    for (let sent = 0; sent < 3; sent += 1) expect(await statusOf(list({ key }))).toBe(200);
    await expectLimited(await list({ key }), 20);
    expect(await statusOf(list({ key: other }))).toBe(200);
  });

  it('count wherever they come from, and with the cookie', async () => {
    start({ RATE_LIMIT_REQUESTS: '2' });
    const { key } = await createTenant();
    const cookie = (await signIn(key, '192.0.2.1')).headers.get('set-cookie')!.split(';')[0]!;
    expect(await statusOf(list({ key, address: '192.0.2.1' }))).toBe(200);
    expect(await statusOf(list({ cookie, address: '192.0.2.2' }))).toBe(200);
    await expectLimited(await list({ cookie, address: '192.0.2.3' }), 30);
    await expectLimited(await list({ key }), 30);
  });

  it('do so for the bootstrap key too, unless it is told otherwise', async () => {
    const key = String(env.BOOTSTRAP_API_KEY);
    start({ RATE_LIMIT_REQUESTS: '1' });
    expect(await statusOf(list({ key }))).toBe(200);
    await expectLimited(await list({ key }), 60);
    start({ RATE_LIMIT_REQUESTS: '1', RATE_LIMIT_BOOTSTRAP_KEY: 'false' });
    for (let sent = 0; sent < 3; sent += 1) expect(await statusOf(list({ key }))).toBe(200);
  });

  it('know no limit of 0', async () => {
    start({ RATE_LIMIT_REQUESTS: '0' });
    const { key } = await createTenant();
    for (let sent = 0; sent < 5; sent += 1) expect(await statusOf(list({ key }))).toBe(200);
  });

  it('are answered again after what Retry-After says', async () => {
    start({ RATE_LIMIT_REQUESTS: '60' });
    const { key } = await createTenant();
    await Promise.all(Array.from({ length: 60 }, () => list({ key })));
    const answer = await list({ key });
    await expectLimited(answer.clone(), 1);
    vi.setSystemTime(Date.now() + Number(answer.headers.get('retry-after')) * 1000);
    expect(await statusOf(list({ key }))).toBe(200);
  });
});

describe('wrong keys from one address', () => {
  beforeEach(() => start({ RATE_LIMIT_WRONG_KEYS: '3' }));
  const address = '192.0.2.10';
  const exhaust = async () => {
    for (let sent = 0; sent < 3; sent += 1) expect(await statusOf(list({ key: wrong(), address }))).toBe(401);
  };

  it('are refused at the limit without a look into the database', async () => {
    await exhaust();
    statements = 0;
    await expectLimited(await list({ key: wrong(), address }), 20);
    await expectLimited(await read({ key: wrong(), address }), 20);
    await expectLimited(await signIn(wrong(), address), 20);
    expect(statements).toBe(0);
  });

  it('leave other addresses alone', async () => {
    await exhaust();
    expect(await statusOf(list({ key: wrong(), address: '192.0.2.11' }))).toBe(401);
    const { key } = await createTenant();
    expect(await statusOf(list({ key, address: '192.0.2.11' }))).toBe(200);
  });

  it('leave right keys of the same address alone that were seen before', async () => {
    const { key } = await createTenant();
    expect(await statusOf(list({ key, address }))).toBe(200);
    await exhaust();
    expect(await statusOf(list({ key, address }))).toBe(200);
    expect(await statusOf(list({ key: String(env.BOOTSTRAP_API_KEY), address }))).toBe(200);
  });

  it('are not given back by a right key that is answered beyond the limit', async () => {
    const { key } = await createTenant();
    expect(await statusOf(list({ key, address }))).toBe(200);
    await exhaust();
    for (let sent = 0; sent < 3; sent += 1) expect(await statusOf(list({ key, address }))).toBe(200);
    expect(await statusOf(list({ key: wrong(), address }))).toBe(429);
  });

  it('include a key that was right before it was revoked', async () => {
    const { key, organizationId } = await createTenant();
    expect(await statusOf(list({ key, address }))).toBe(200);
    await exhaust();
    await env.DB.prepare('delete from api_keys where organization_id = ?').bind(organizationId).run();
    expect(await statusOf(list({ key, address }))).toBe(401);
    expect(await statusOf(list({ key, address }))).toBe(429);
  });

  it('do not let a right key pass that this isolate has not seen', async () => {
    const { key } = await createTenant();
    await exhaust();
    expect(await statusOf(list({ key, address }))).toBe(429);
  });

  it('count when they come at once', async () => {
    const sent = Array.from({ length: 10 }, () => statusOf(list({ key: wrong(), address })));
    expect((await Promise.all(sent)).filter((status) => status === 401)).toHaveLength(3);
  });

  it('are not what right keys are', async () => {
    const { key } = await createTenant();
    for (let sent = 0; sent < 6; sent += 1) expect(await statusOf(list({ key, address }))).toBe(200);
    expect(await statusOf(list({ key: wrong(), address }))).toBe(401);
  });

  it('count for a whole IPv6 network, and for the IPv4 address in its other spelling', async () => {
    for (const at of [1, 2, 3]) await list({ key: wrong(), address: `2001:db8:1:2::${at}` });
    expect(await statusOf(list({ key: wrong(), address: '2001:db8:1:2:ffff::9' }))).toBe(429);
    expect(await statusOf(list({ key: wrong(), address: '2001:db8:1:3::1' }))).toBe(401);
    await exhaust();
    expect(await statusOf(list({ key: wrong(), address: `::ffff:${address}` }))).toBe(429);
  });
});

describe('a header that no trusted proxy wrote', () => {
  it('gives a client no limit of its own', async () => {
    start({ RATE_LIMIT_WRONG_KEYS: '3', TRUSTED_PROXY: 'none' });
    const guess = (last: number) => list({ key: wrong(), address: `192.0.2.${last}` });
    for (const last of [1, 2, 3]) expect(await statusOf(guess(last))).toBe(401);
    expect(await statusOf(guess(4))).toBe(429);
  });

  it('gives an attempt to sign in no limit of its own', async () => {
    start({ RATE_LIMIT_SIGN_INS: '1', TRUSTED_PROXY: 'none' });
    expect(await statusOf(signIn(wrong(), '192.0.2.1'))).toBe(401);
    expect(await statusOf(signIn(wrong(), '192.0.2.2'))).toBe(429);
  });

  it('still limits requests that name no address', async () => {
    start({ RATE_LIMIT_WRONG_KEYS: '1' });
    expect(await statusOf(list({ key: wrong() }))).toBe(401);
    expect(await statusOf(list({ key: wrong() }))).toBe(429);
  });
});

describe('signing in from one address', () => {
  it('ends at the limit, right or wrong, while another address goes on', async () => {
    start({ RATE_LIMIT_SIGN_INS: '2' });
    const { key } = await createTenant();
    expect(await statusOf(signIn(wrong(), '192.0.2.20'))).toBe(401);
    expect(await statusOf(signIn(key, '192.0.2.20'))).toBe(204);
    await expectLimited(await signIn(key, '192.0.2.20'), 30);
    expect(await statusOf(signIn(key, '192.0.2.21'))).toBe(204);
  });
});
