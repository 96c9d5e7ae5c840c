import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createUpstreamHttp } from '#src/upstream/http.ts';
import { createIsolateToken, createMemoryTokens, readToken } from '#src/upstream/tokens.ts';

const HOUR = 3_600_000;

describe('memory tokens', () => {
  it('are fetched once at a time and again shortly before expiry', async () => {
    let now = 0;
    let count = 0;
    const tokens = createMemoryTokens(() => now);
    const refresh = vi.fn(async () => ({ token: `t${++count}`, expiresAt: now + 600_000 }));
    const get = () => tokens.get('access', refresh);
    expect(await Promise.all([get(), get(), get()])).toEqual(['t1', 't1', 't1']);
    now = 539_000;
    expect(await get()).toBe('t1');
    now = 541_000;
    expect(await Promise.all([get(), get(), get()])).toEqual(['t2', 't2', 't2']);
    await tokens.drop('access', 't1');
    expect(await get()).toBe('t2');
    await tokens.drop('access', 't2');
    expect(await get()).toBe('t3');
    expect(refresh).toHaveBeenCalledTimes(3);
  });

  it('are fetched again after a failure', async () => {
    const tokens = createMemoryTokens();
    const refresh = vi
      .fn(async () => ({ token: 'good', expiresAt: Date.now() + HOUR }))
      .mockRejectedValueOnce(new Error('refused'));
    const answers = await Promise.allSettled([tokens.get('access', refresh), tokens.get('access', refresh)]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await tokens.get('access', refresh)).toBe('good');
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it('are limited in number', async () => {
    const kept = new Map();
    const tokens = createMemoryTokens(Date.now, kept);
    for (let at = 0; at < 1100; at += 1) {
      await tokens.get(`account ${at}`, async () => ({ token: `t${at}`, expiresAt: Date.now() + HOUR }));
    }
    expect(kept.size).toBe(1000);
    expect(kept.has('account 99')).toBe(false);
    expect(kept.has('account 1099')).toBe(true);
  });
});

describe('isolate token', () => {
  let count = 0;
  const refresh = vi.fn(async () => ({ token: `t${++count}`, expiresAt: Date.now() + HOUR }));

  it('is shared by callers with the same credentials', async () => {
    const token = await createIsolateToken(['shared', 'id', 'secret'], refresh).get();
    expect(await createIsolateToken(['shared', 'id', 'secret'], refresh).get()).toBe(token);
    expect(await createIsolateToken(['shared', 'id', 'another secret'], refresh).get()).not.toBe(token);
  });

  it('is fetched again after rejection', async () => {
    const access = createIsolateToken(['refused'], refresh);
    const refused = await access.get();
    await createIsolateToken(['refused'], refresh).drop(refused);
    const next = await access.get();
    expect(next).not.toBe(refused);
    await access.drop(refused);
    expect(await access.get()).toBe(next);
  });

  it('does not depend on a renewal started by another request', async () => {
    void createIsolateToken(['stopped'], () => new Promise(() => {})).get();
    expect(await createIsolateToken(['stopped'], refresh).get()).toMatch(/^t\d/);
  });
});

describe('token endpoint answer', () => {
  const http = createUpstreamHttp({
    name: 'The vendor',
    settings: { ALLOW_PRIVATE_ADDRESSES: false },
    silenceSeconds: 20,
  });

  it.each([3600, '3600'])('with expires_in %j sets the expiry', async (expires_in) => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = Response.json({ access_token: 'a', expires_in });
    expect(await readToken(http, answer)).toEqual({ token: 'a', expiresAt: HOUR });
  });

  it.each([{}, { access_token: '', expires_in: 1 }, { access_token: 'a', expires_in: 'soon' }])(
    'without token or expiry is rejected: %j',
    async (answer) => {
      await expect(readToken(http, Response.json(answer))).rejects.toThrow('JSON in an unexpected format');
    },
  );
});
