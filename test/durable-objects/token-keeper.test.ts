import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { TokenKeeper } from '#objects/token-keeper.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { createSharedTokens } from '#src/services/sync/opened-sources.ts';
import { type Token, withToken } from '#src/upstream/tokens.ts';
import { createObjects } from '#src/work/objects.ts';
import type { TokenOwner } from '#src/work/token-owner.ts';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createPipeline, sync } from '#test/support/pipelines.ts';

const HOUR = 3600_000;
const SECRET = 'the-token-that-nobody-may-read';
const ofSource = (dataSourceId = 'source-1', fingerprint = 'settings-1') => ({ dataSourceId, fingerprint });

async function syncedPipeline() {
  const pipelineId = await createPipeline();
  await sync(pipelineId);
  const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
  const stored = () =>
    runInDurableObject(stub, async (_, { storage }) => [...(await storage.list({ prefix: 'token:' }))]);
  return { pipelineId, stub, stored, owner: createObjects(env).pipelineTokens(pipelineId) };
}

/** Creates a separate consumer, as in another isolate. */
const consumer = (owner: TokenOwner, of = ofSource()) => createSharedTokens(() => owner, of);

const refreshing = (...tokens: string[]) =>
  vi.fn(async (): Promise<Token> => ({ token: tokens.shift()!, expiresAt: Date.now() + HOUR }));
const unneeded = () => Promise.reject(new Error('nobody should fetch a token'));

it('lets one consumer fetch a token for all consumers', async () => {
  const { owner } = await syncedPipeline();
  let asked = 0;
  let othersAsked = () => {};
  const allAsked = new Promise<void>((resolve) => {
    othersAsked = resolve;
  });
  const counting: TokenOwner = {
    ...wrapped(owner),
    async takeToken(key) {
      const grant = await owner.takeToken(key);
      asked += 1;
      if (asked >= 4) othersAsked();
      return grant;
    },
  };
  const refresh = vi.fn(async () => {
    await allAsked;
    return { token: 'one', expiresAt: Date.now() + HOUR };
  });
  const given = await Promise.all([1, 2, 3, 4].map(() => consumer(counting).get('access', refresh)));
  expect(given).toEqual(['one', 'one', 'one', 'one']);
  expect(refresh).toHaveBeenCalledTimes(1);
});

const wrapped = (owner: TokenOwner): TokenOwner => ({
  takeToken: (key) => owner.takeToken(key),
  keepToken: (key, lease, token, until) => owner.keepToken(key, lease, token, until),
  abandonToken: (key, lease) => owner.abandonToken(key, lease),
  dropToken: (key, token) => owner.dropToken(key, token),
  forgetTokens: (id) => owner.forgetTokens(id),
});

it('stores the token sealed, and keeps it across an eviction of the object', async () => {
  const { owner, stub, stored } = await syncedPipeline();
  expect(await consumer(owner).get('access', refreshing(SECRET))).toBe(SECRET);
  const kept = JSON.stringify(await stored());
  expect(kept).toContain('sealed:v1:');
  expect(kept).not.toContain(SECRET);
  await evictDurableObject(stub);
  expect(await consumer(owner).get('access', unneeded)).toBe(SECRET);
});

it('does not use the sealed token of another data source', async () => {
  const { owner, stub } = await syncedPipeline();
  await consumer(owner).get('access', refreshing(SECRET));
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.put('token:source-2:access', await storage.get('token:source-1:access'));
  });
  expect(await consumer(owner, ofSource('source-2')).get('access', refreshing('own'))).toBe('own');
});

it('fetches a new token once before the old one expires', async () => {
  const { owner } = await syncedPipeline();
  const soon = async () => ({ token: 'old', expiresAt: Date.now() + 1 });
  const one = consumer(owner);
  expect(await one.get('access', soon)).toBe('old');
  await vi.waitFor(
    async () => {
      expect(await consumer(owner).get('access', refreshing('new'))).toBe('new');
    },
    { timeout: PATIENCE_MS },
  );
  expect(await one.get('access', unneeded)).toBe('new');
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('accepts an expiry of %s', async (expiresAt) => {
  const { owner } = await syncedPipeline();
  expect(await consumer(owner).get('access', async () => ({ token: 'odd', expiresAt }))).toBe('odd');
});

it('drops a rejected token, but not its replacement', async () => {
  const { owner } = await syncedPipeline();
  const [one, two] = [consumer(owner), consumer(owner)];
  const refresh = refreshing('void', 'good');
  for (const each of [one, two]) expect(await each.get('access', refresh)).toBe('void');
  const use = vi.fn(async (token: string) => new Response(null, { status: token === 'void' ? 401 : 200 }));
  for (const each of [one, two]) {
    expect((await withToken(each, 'access', refresh, use)).status).toBe(200);
  }
  expect(use.mock.calls.flat()).toEqual(['void', 'good', 'void', 'good']);
  expect(refresh).toHaveBeenCalledTimes(2);
});

it('returns the 401 response if the new token is rejected as well', async () => {
  const { owner } = await syncedPipeline();
  const use = async () => new Response(null, { status: 401 });
  const answer = await withToken(consumer(owner), 'access', refreshing('a', 'b'), use);
  expect(answer.status).toBe(401);
});

it('lets the next consumer try if one cannot fetch a token', async () => {
  const { owner } = await syncedPipeline();
  await expect(consumer(owner).get('access', unneeded)).rejects.toThrow('nobody should fetch');
  expect(await consumer(owner).get('access', refreshing('one'))).toBe('one');
});

it('lets another consumer fetch a token after a timeout, and ignores the late token', async () => {
  const { owner, stub } = await syncedPipeline();
  const key = { ...ofSource(), name: 'access' };
  const first = await owner.takeToken(key);
  expect(await owner.takeToken(key)).toEqual({ state: 'wait' });
  await runInDurableObject(stub, async (_, { storage }) => {
    const kept = (await storage.get<{ lease: { until: number } }>('token:source-1:access'))!;
    kept.lease.until = 0;
    await storage.put('token:source-1:access', kept);
  });
  expect(await consumer(owner).get('access', refreshing('second'))).toBe('second');
  if (first.state === 'refresh') await owner.keepToken(key, first.lease, 'late', Date.now() + HOUR);
  expect(await owner.takeToken(key)).toMatchObject({ state: 'fresh', token: 'second' });
});

it('does not return a token fetched with other settings', async () => {
  const { owner } = await syncedPipeline();
  await consumer(owner).get('access', refreshing('old'));
  const changed = consumer(owner, ofSource('source-1', 'settings-2'));
  expect(await changed.get('access', refreshing('new'))).toBe('new');
});

it('deletes the token when the data source gets another component', async () => {
  const { pipelineId, owner, stored } = await syncedPipeline();
  const source = await call<{ id: string }>('POST', '/api/v1/data-sources', {
    body: { name: 'tokens', source_type: 'SOURCE_10_CHAT', component: { chat_token: 'a' } },
  });
  const { id } = source.body;
  await call('PUT', `/api/v1/pipelines/${pipelineId}/data-sources`, { body: [{ data_source_id: id }] });
  await consumer(owner, ofSource(id)).get('access', refreshing(SECRET));
  await call('PUT', `/api/v1/data-sources/${id}`, { body: { source_type: 'SOURCE_10_CHAT', name: 'other' } });
  expect(await stored()).toHaveLength(1);
  await call('PUT', `/api/v1/data-sources/${id}`, {
    body: { source_type: 'SOURCE_10_CHAT', component: { chat_token: 'b' } },
  });
  await vi.waitFor(async () => expect(await stored()).toEqual([]), { timeout: PATIENCE_MS });
});

it('deletes the tokens with the pipeline, and stores none afterwards', async () => {
  const { pipelineId, owner, stored } = await syncedPipeline();
  await consumer(owner).get('access', refreshing(SECRET));
  const lease = await owner.takeToken({ ...ofSource(), name: 'other' });
  await createObjects(env).pipelineSync(pipelineId).drop();
  expect(await stored()).toEqual([]);
  if (lease.state === 'refresh') {
    await owner.keepToken({ ...ofSource(), name: 'other' }, lease.lease, SECRET, Date.now() + HOUR);
  }
  await expect(consumer(owner).get('access', refreshing(SECRET))).rejects.toThrow('no sync');
  expect(await stored()).toEqual([]);
});

it('fetches a token that an old key sealed again, and seals it with the current key', async () => {
  const { pipelineId, stub } = await syncedPipeline();
  const createKey = (byte: number) => `k${byte}:${btoa(String.fromCharCode(byte).repeat(32))}`;
  const [former, current] = [createKey(1), createKey(2)];
  const key = { ...ofSource(), name: 'access' };
  await runInDurableObject(stub, async (_, state) => {
    const keeperWith = (...keys: [string, string?]) => new TokenKeeper(state, () => parseKeyRing(...keys));
    const lease = async (keeper: TokenKeeper) => {
      const grant = await keeper.take(key);
      if (grant.state !== 'refresh') throw new Error(`${pipelineId}: the token is ${grant.state}`);
      return grant.lease;
    };
    const before = keeperWith(former);
    await before.store(key, await lease(before), 'one', Date.now() + HOUR);
    expect(await before.take(key)).toMatchObject({ state: 'fresh', token: 'one' });
    const rotating = keeperWith(current, former);
    await rotating.store(key, await lease(rotating), 'two', Date.now() + HOUR);
    expect(await keeperWith(current).take(key)).toMatchObject({ state: 'fresh', token: 'two' });
  });
});
