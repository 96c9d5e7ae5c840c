import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { BadRequest, Upstream } from '#src/lib/errors.ts';
import { runInTrace } from '#src/lib/trace.ts';
import { createGuardedFetch, createUpstreamHttp, type UpstreamRules } from '#src/upstream/http.ts';

const base = inject('loopback');
const elsewhere = base.replace('127.0.0.1', 'localhost');

const open = (rules: Partial<UpstreamRules> = {}) =>
  createUpstreamHttp({
    name: 'The store',
    settings: { ALLOW_PRIVATE_ADDRESSES: true },
    silenceSeconds: 20,
    ...rules,
  });

const caught = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error as Upstream,
  );

interface Seen {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}
const seen = async (id: string) => (await (await fetch(`${base}/seen?id=${id}`)).json()) as Seen[];
const newId = () => crypto.randomUUID();
const path = (name: string, query: Record<string, string | number> = {}, origin = base) =>
  `${origin}/${name}?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`;

describe('response', () => {
  it('is returned with any status and its URL', async () => {
    const http = open();
    const response = await http.fetch(path('status', { status: 404, say: 'b' }));
    expect(response.status).toBe(404);
    expect(await http.text(response)).toBe('busy');
    const empty = await http.fetch(new Request(path('status', { status: 204 })));
    expect(new URL(empty.url).pathname).toBe('/status');
    expect(await http.text(empty)).toBe('');
  });

  it('is decompressed once', async () => {
    const http = open();
    const response = await http.fetch(path('bomb', { size: 1000 }));
    expect(response.headers.get('content-encoding')).toBeNull();
    expect((await http.text(response)).length).toBe(1000);
  });

  it('follows a request with method, headers and body of request and init', async () => {
    const id = newId();
    const url = path('ok', { id });
    await open().text(
      await open().fetch(new Request(url, { method: 'PUT', body: 'one', headers: { 'x-a': '1' } })),
    );
    await open().text(await open().fetch(url, { method: 'POST', body: 'two' }));
    expect(await seen(id)).toMatchObject([
      { method: 'PUT', body: 'one', headers: { 'x-a': '1' } },
      { method: 'POST', body: 'two' },
    ]);
  });
});

describe('call without complete response', () => {
  it.each([
    ['silence before the headers', 'silent', { silenceSeconds: 0.3 }, /did not answer within/],
    [
      'silence inside the body',
      'silent-body',
      { silenceSeconds: 2 },
      /did not finish its answer: no data arrived for/,
    ],
    ['a body that breaks off', 'cut', {}, /did not finish its answer/],
    [
      'a body that drips on',
      'drip',
      { totalSeconds: 2 },
      /did not finish its answer: it took longer than allowed/,
    ],
  ])('fails on %s with a retryable error', async (_what, way, rules, words) => {
    const http = open(rules);
    const error = await caught(http.fetch(path(way)).then(http.text));
    expect(error).toBeInstanceOf(Upstream);
    expect(error.message).toMatch(words);
    expect(error.message).toMatch(/^The store /);
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
  const left = async (id: string) => (await fetch(`${base}/left?id=${id}`)).text();

  it.each<[string, string, Partial<UpstreamRules>]>([
    ['is silent before the headers', 'silent', { silenceSeconds: 0.3 }],
    ['is silent inside the body', 'silent-body', { silenceSeconds: 2 }],
    ['drips for too long', 'drip', { totalSeconds: 2 }],
    ['sends too much', 'drip', { maxBytes: 3 }],
  ])('is closed if the server %s', async (_what, way, rules) => {
    const id = newId();
    const http = open(rules);
    await caught(http.fetch(path(way, { id })).then(http.text));
    expect(await left(id)).toBe('it left');
  });

  it('is closed when the reader stops or the caller aborts', async () => {
    const http = open();
    const stopped = newId();
    for await (const _ of http.body(await http.fetch(path('drip', { id: stopped })))) break;
    expect(await left(stopped)).toBe('it left');
    const refused = newId();
    const drip = path('drip', { id: refused, status: 503 });
    expect((await http.failure(await http.fetch(drip), 'a list')).retryable).toBe(true);
    expect(await left(refused)).toBe('it left');
    const abort = new AbortController();
    const given = newId();
    await http.fetch(path('silent-body', { id: given }), { signal: abort.signal });
    abort.abort();
    expect(await left(given)).toBe('it left');
  });
});

describe('body size', () => {
  it.each([
    ['announced', { size: 5000, announced: 1 }, 'big'],
    ['not announced', { size: 5000 }, 'big'],
    ['compressed', { size: 5_000_000 }, 'bomb'],
  ])('is limited if the body is %s', async (_how, query, way) => {
    const http = open({ maxBytes: 4000 });
    const response = await http.fetch(path(way, query));
    let size = 0;
    const read = async () => {
      for await (const piece of http.body(response)) size += piece.byteLength;
    };
    const error = await caught(read());
    expect(error.message).toContain('more than 4000 bytes');
    expect(error.retryable).toBe(false);
    expect(size).toBeLessThanOrEqual(4000);
  });

  it('can equal the limit', async () => {
    const http = open({ maxBytes: 4000 });
    expect((await http.text(await http.fetch(path('big', { size: 4000, announced: 1 })))).length).toBe(4000);
  });

  it('is limited for libraries that read the response themselves', async () => {
    const fetch = createGuardedFetch({
      name: 'The model',
      settings: { ALLOW_PRIVATE_ADDRESSES: true },
      silenceSeconds: 2,
      maxBytes: 4000,
    });
    const reading = fetch(path('big', { size: 5000 })).then((response) => response.json());
    expect((await caught(reading)).message).toContain('The model did not finish its answer');
    expect((await caught(fetch(path('silent')))).message).toContain('The model did not answer');
  });
});

describe('redirects', () => {
  const strict = { settings: { ALLOW_PRIVATE_ADDRESSES: false } };

  it('are rejected unless enabled, and the target is not called', async () => {
    const id = newId();
    const error = await caught(open().fetch(path('redirect', { to: path('ok', { id }) })));
    expect(error.message).toContain(`redirects to ${base}, and redirects are not allowed`);
    expect([error.retryable, error.status]).toEqual([false, 302]);
    const manual = await open({ redirects: 'manual' }).fetch(path('redirect', { to: path('ok', { id }) }));
    expect(manual.status).toBe(302);
    await manual.body?.cancel();
    expect(await seen(id)).toEqual([]);
  });

  it('drop headers when they leave the origin, even after returning', async () => {
    const id = newId();
    const back = path('ok', { id });
    const away = path('redirect', { id, to: back }, elsewhere);
    const same = path('redirect', { id, to: away });
    const http = open({ redirects: 'follow' });
    const response = await http.fetch(same, { headers: { authorization: 'Bearer s3cret-token' } });
    expect(await http.text(response)).toBe('fine');
    expect(response.url).toBe(back);
    const sent = (await seen(id)).map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer s3cret-token', undefined, undefined]);
  });

  it.each([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'the body'],
    [308, 'POST', 'the body'],
  ])('of %i to the same origin send %s', async (status, method, body) => {
    const id = newId();
    const http = open({ redirects: 'follow' });
    const init = { method: 'POST', body: 'the body' };
    await http.text(await http.fetch(path('redirect', { status, to: path('ok', { id }) }), init));
    expect(await seen(id)).toMatchObject([{ method, body }]);
  });

  it('never send a body to another origin', async () => {
    const id = newId();
    const to = path('ok', { id }, elsewhere);
    const init = { method: 'POST', body: 'client_secret=abc' };
    const error = await caught(
      open({ redirects: 'follow' }).fetch(path('redirect', { status: 307, to }), init),
    );
    expect(error.message).toContain('redirects a request with a body');
    expect(await seen(id)).toEqual([]);
  });

  it('stop in a cycle', async () => {
    const id = newId();
    const error = await caught(open({ redirects: 'follow' }).fetch(path('circle', { id })));
    expect(error.message).toContain('redirects more than 5 times');
    expect(await seen(id)).toHaveLength(6);
  });

  it('of a trusted address may lead to public addresses only', async () => {
    const id = newId();
    const http = open({ ...strict, trusted: true, redirects: 'follow' });
    expect(await http.text(await http.fetch(path('redirect', { to: '/ok' })))).toBe('fine');
    const error = await caught(http.fetch(path('redirect', { to: path('ok', { id }, elsewhere) })));
    expect(error).toBeInstanceOf(BadRequest);
    expect(error.message).toContain('not public');
    expect(await seen(id)).toEqual([]);
  });

  it('do not matter for a private address, which is rejected at once', async () => {
    expect(await caught(open(strict).fetch(path('ok')))).toBeInstanceOf(BadRequest);
    expect(
      await open(strict)
        .fetch('file:///etc/passwd')
        .catch((error) => error),
    ).toBeInstanceOf(BadRequest);
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

describe('JSON response', () => {
  const shape = z.object({ count: z.number() });
  const read = (say: string) => {
    const http = open();
    return http.fetch(path('json', { say })).then((response) => http.json(response, shape));
  };

  it('is returned in the shape of its schema', async () => {
    expect(await read('{"count":3,"more":1}')).toEqual({ count: 3 });
  });

  it('with invalid content throws an error', async () => {
    expect(await caught(read('<html>'))).toMatchObject({ retryable: true });
    expect((await caught(read('<html>'))).message).toBe(
      'The store answered 200 with an HTML page instead of valid JSON.',
    );
    const odd = await caught(read('{"count":"three"}'));
    expect(odd.message).toBe('The store answered with JSON in an unexpected format: count (invalid_type).');
    expect(odd.retryable).toBe(false);
  });
});

describe('trace context of a request', () => {
  const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', flags: '01' };
  const sent = async (headers: Record<string, string> = {}) => {
    const id = newId();
    await runInTrace(TRACE, () => open().fetch(path('echo', { id }), { headers }));
    return (await seen(id)).map((request) => request.headers);
  };

  it('is sent unless the caller sets a header', async () => {
    expect(await sent({ tracestate: 'a=b' })).toMatchObject([
      { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    ]);
    expect(await sent({ traceparent: 'own' })).toMatchObject([{ traceparent: 'own' }]);
  });

  it('is absent without a trace', async () => {
    const id = newId();
    await open().fetch(path('echo', { id }));
    expect((await seen(id))[0]?.headers).not.toHaveProperty('traceparent');
  });
});

describe('stored body', () => {
  it.each([204, 205, 206])('is rejected for status %i', async (status) => {
    const body = status === 206 ? 'a part' : null;
    vi.stubGlobal('fetch', async () => new Response(body, { status }));
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const response = await open().fetch('https://store.test/file');
    await expect(Array.fromAsync(open().body(response))).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(new RegExp(`^The store answered ${status} with`)),
    });
  });
});
