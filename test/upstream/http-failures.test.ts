import { describe, expect, it } from 'vitest';
import { Upstream } from '#src/lib/errors.ts';
import { caught, left, newId, open, path, seen } from './http-client.ts';

describe('call without complete response', () => {
  it('fails on a body that breaks off with a retryable error', async () => {
    const http = open();
    const error = await caught(http.fetch(path('cut')).then(http.text));
    expect(error).toBeInstanceOf(Upstream);
    expect(error.message).toMatch(/^The store did not finish its answer/);
    expect(error.retryable).toBe(true);
  });

  it('fails if the connection or name lookup fails', async () => {
    const error = await caught(open().fetch('http://127.0.0.1:9/'));
    expect(error).toBeInstanceOf(Upstream);
    expect([error.message, error.retryable]).toEqual([
      'The store could not be reached, or closed the connection before it answered.',
      true,
    ]);
    const strict = open({ settings: { ALLOW_PRIVATE_ADDRESSES: false } });
    const lost = await caught(strict.fetch('https://no-such-host.invalid/'));
    // Without a network, the resolver itself is unreachable.
    expect(lost.message).toMatch(/does not exist|could not be looked up|did not answer/);
  });

  it('throws the error class of its client', async () => {
    class StoreError extends Upstream {}
    const error = (message: string, options: ConstructorParameters<typeof Upstream>[1]) =>
      new StoreError(message, options);
    const http = open({ error });
    expect(await caught(http.fetch('http://127.0.0.1:9/'))).toBeInstanceOf(StoreError);
    expect(await caught(http.request(path('status', { status: 500 })))).toBeInstanceOf(StoreError);
    expect(await caught(http.fetch(path('cut')).then(http.text))).toBeInstanceOf(StoreError);
  });

  it('stops when the caller aborts before headers or within the body', async () => {
    const abort = new AbortController();
    const http = open();
    const waiting = caught(http.fetch(path('silent'), { signal: abort.signal }));
    const response = await http.fetch(path('silent-body'), { signal: abort.signal });
    const reading = caught(http.text(response));
    abort.abort(new Error('the job was cancelled'));
    expect((await waiting).message).toBe('the job was cancelled');
    expect((await reading).message).toBe('the job was cancelled');
    const late = await caught(http.fetch(path('ok'), { signal: abort.signal }));
    expect(late.message).toBe('the job was cancelled');
  });
});

describe('connection', () => {
  it('is closed if the server sends too much', async () => {
    const id = newId();
    const http = open({ maxBytes: 3 });
    await caught(http.fetch(path('drip', { id })).then(http.text));
    expect(await left(id)).toBe('it left');
  });

  it('is closed when the reader stops or the caller aborts', async () => {
    const http = open();
    const stopped = newId();
    for await (const _ of http.body(await http.fetch(path('drip', { id: stopped })))) break;
    expect(await left(stopped)).toBe('it left');
    const abort = new AbortController();
    const given = newId();
    await http.fetch(path('silent-body', { id: given }), { signal: abort.signal });
    abort.abort();
    expect(await left(given)).toBe('it left');
  });
});

describe('error status', () => {
  const tomorrow = new Date(Date.now() + 20 * 3600_000).toUTCString();
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [409, false],
    [410, false],
    [425, true],
    [429, true],
    [500, true],
    [501, false],
    [502, true],
    [503, true],
    [504, true],
    [529, true],
  ])('%i is retryable: %s', async (status, retryable) => {
    const http = open();
    const error = await caught(
      http.request(path('status', { status, 'retry-after': '7', say: 'b' }), {}, { what: 'a list' }),
    );
    expect(error).toMatchObject({ retryable, status, retryAfter: 7 });
    expect(error.message).toBe(`The store answered ${status} to a request for a list: busy.`);
    const dated = await caught(http.request(path('status', { status, 'retry-after': tomorrow })));
    expect(dated.retryAfter).toBeGreaterThan(19 * 3600);
    const later = await caught(http.request(path('status', { status, 'retry-after': '9999999' })));
    expect(later.retryAfter).toBe(86_400);
  });

  it('can be retryable for one caller only, and 429 always has a wait', async () => {
    const http = open();
    const also = await caught(http.request(path('status', { status: 409 }), {}, { alsoRetryable: true }));
    expect([also.retryable, also.retryAfter]).toEqual([true, undefined]);
    expect((await caught(http.request(path('status', { status: 429 })))).retryAfter).toBe(1);
  });

  it('includes a reason of limited length, even for endless responses', async () => {
    const http = open();
    const long = await caught(http.request(path('status', { status: 400, say: 'l' })));
    expect(long.message.length).toBeLessThan(400);
    const bomb = await caught(http.request(path('bomb', { status: 400, size: 50_000_000 })));
    expect(bomb.status).toBe(400);
    const page = await caught(http.request(path('status', { status: 400, say: 'x' })));
    expect(page.message).toBe('The store answered 400: No such bucket.');
  });
});

describe('secrets in errors', () => {
  it.each([
    ['a bearer token', { headers: { authorization: 'Bearer sk-9f8e7d6c5b' } }, ['sk-9f8e7d6c5b']],
    [
      'a basic login',
      { headers: { authorization: `Basic ${btoa('ada:p4ssw0rd"')}` } },
      ['p4ssw0rd', btoa('ada:p4ssw0rd"')],
    ],
    ['any header of the caller', { headers: { 'x-team': 'team-of-nine' } }, ['team-of-nine']],
    ['a cookie', { headers: { cookie: 'a=1; session=0123456789abc' } }, ['0123456789abc']],
    [
      'a form',
      { method: 'POST', body: new URLSearchParams({ client_id: 'me', client_secret: 'gr+nt/secret' }) },
      ['gr+nt/secret', 'gr%2Bnt%2Fsecret'],
    ],
    [
      'a form as text',
      { method: 'POST', body: 'grant_type=x&refresh_token=1%2F%2Frefresh' },
      ['1//refresh', '1%2F%2Frefresh'],
    ],
    ['what the caller names', { method: 'POST', body: '{"key":"named-secret"}' }, ['named-secret']],
  ])('are removed if a response repeats %s', async (_what, init, secrets) => {
    const http = open({ secrets: ['named-secret'] });
    const url = path('echo', { status: 401, 'X-Amz-Signature': 'deadbeefcafe', q: 'söme & value' });
    const error = await caught(http.request(url, init as RequestInit));
    expect(error.message).toContain('The store answered 401: No');
    const all = [...secrets, 'deadbeefcafe', 'söme & value', encodeURIComponent('söme & value')];
    for (const secret of all) expect(error.message).not.toContain(secret);
  });

  it('do not appear if a header cannot be sent', async () => {
    const error = await caught(
      open().fetch(path('ok'), { headers: { authorization: 'Bearer s3cret\n-token' } }),
    );
    expect(error).toBeInstanceOf(Upstream);
    expect(error.retryable).toBe(false);
    expect(`${error.message} ${error.cause}`).not.toContain('s3cret');
  });
});

describe('retries in place', () => {
  const retrying = (retries: number) => open({ retries });

  it('are limited by configuration and off by default', async () => {
    const id = newId();
    expect((await open().fetch(path('recovers', { id, status: 503, times: 1 }))).status).toBe(503);
    expect((await retrying(2).fetch(path('recovers', { id, status: 503, times: 3 }))).status).toBe(200);
    const hopeless = newId();
    const last = await retrying(1).fetch(path('recovers', { id: hopeless, status: 502, times: 9 }));
    expect(last.status).toBe(502);
    expect(await seen(hopeless)).toHaveLength(2);
  });

  it('are skipped for permanent errors and long waits', async () => {
    const id = newId();
    expect((await retrying(2).fetch(path('recovers', { id, status: 404, times: 1 }))).status).toBe(404);
    const slow = { id, status: 503, times: 9, 'retry-after': '60' };
    expect((await retrying(2).fetch(path('recovers', slow))).status).toBe(503);
    expect(await seen(id)).toHaveLength(2);
  });

  it('send the body again', async () => {
    const id = newId();
    const body = new Response('streamed').body;
    const init = { method: 'POST', body };
    expect((await retrying(1).fetch(path('recovers', { id, status: 500, times: 1 }), init)).status).toBe(200);
    expect((await seen(id)).map((request) => request.body)).toEqual(['streamed', 'streamed']);
  });
});
