import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { BadRequest, Upstream } from '#src/lib/errors.ts';
import { withinTrace } from '#src/lib/trace.ts';
import { guardedFetch, type UpstreamRules, upstream } from '#src/upstream/http.ts';

const base = inject('loopback');
const elsewhere = base.replace('127.0.0.1', 'localhost');

const open = (rules: Partial<UpstreamRules> = {}) =>
  upstream({ name: 'The store', settings: { ALLOW_PRIVATE_ADDRESSES: true }, silenceSeconds: 20, ...rules });

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

describe('an answer', () => {
  it('comes back whatever its status, with where it came from', async () => {
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

  it('sends method, headers and body of a request and of init', async () => {
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

describe('a call that gets no whole answer', () => {
  it.each([
    ['silence before the headers', 'silent', { silenceSeconds: 0.3 }, /did not answer within/],
    [
      'silence inside the body',
      'silent-body',
      { silenceSeconds: 2 },
      /did not finish its answer: nothing came for/,
    ],
    ['a body that breaks off', 'cut', {}, /did not finish its answer/],
    ['a body that drips on', 'drip', { totalSeconds: 2 }, /did not finish its answer: it took too long/],
  ])('fails on %s with an error worth a retry', async (_what, way, rules, words) => {
    const http = open(rules);
    const error = await caught(http.fetch(path(way)).then(http.text));
    expect(error).toBeInstanceOf(Upstream);
    expect(error.message).toMatch(words);
    expect(error.message).toMatch(/^The store /);
    expect(error.retryable).toBe(true);
  });

  it('fails when nobody listens, or the name cannot be found', async () => {
    const error = await caught(open().fetch('http://127.0.0.1:9/'));
    expect(error).toBeInstanceOf(Upstream);
    expect([error.message, error.retryable]).toEqual([
      'The store could not be reached, or broke off before it answered.',
      true,
    ]);
    const strict = open({ settings: { ALLOW_PRIVATE_ADDRESSES: false } });
    const lost = await caught(strict.fetch('https://no-such-host.invalid/'));
    // Without a network the resolver itself cannot be asked.
    expect(lost.message).toMatch(/does not exist|could not be looked up|did not answer/);
  });

  it('makes the errors of its kind', async () => {
    class StoreError extends Upstream {}
    const error = (message: string, options: ConstructorParameters<typeof Upstream>[1]) =>
      new StoreError(message, options);
    const http = open({ error });
    expect(await caught(http.fetch('http://127.0.0.1:9/'))).toBeInstanceOf(StoreError);
    expect(await caught(http.request(path('status', { status: 500 })))).toBeInstanceOf(StoreError);
    expect(await caught(http.fetch(path('cut')).then(http.text))).toBeInstanceOf(StoreError);
  });

  it('ends when its caller gives up, before the headers and inside the body', async () => {
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

describe('the connection', () => {
  const left = async (id: string) => (await fetch(`${base}/left?id=${id}`)).text();

  it.each<[string, string, Partial<UpstreamRules>]>([
    ['is silent before the headers', 'silent', { silenceSeconds: 0.3 }],
    ['is silent inside the body', 'silent-body', { silenceSeconds: 2 }],
    ['drips for too long', 'drip', { totalSeconds: 2 }],
    ['sends too much', 'drip', { maxBytes: 3 }],
  ])('is closed when the other side %s', async (_what, way, rules) => {
    const id = newId();
    const http = open(rules);
    await caught(http.fetch(path(way, { id })).then(http.text));
    expect(await left(id)).toBe('it left');
  });

  it('is closed when the reader stops, and when the caller gives up between two reads', async () => {
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

describe('the size of a body', () => {
  it.each([
    ['announced', { size: 5000, announced: 1 }, 'big'],
    ['not announced', { size: 5000 }, 'big'],
    ['compressed', { size: 5_000_000 }, 'bomb'],
  ])('is held to its limit when it is %s', async (_how, query, way) => {
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

  it('may be just the limit', async () => {
    const http = open({ maxBytes: 4000 });
    expect((await http.text(await http.fetch(path('big', { size: 4000, announced: 1 })))).length).toBe(4000);
  });

  it('is held for libraries that read the answer themselves', async () => {
    const fetch = guardedFetch({
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

  it('are refused unless the rules follow them, and the target is never called', async () => {
    const id = newId();
    const error = await caught(open().fetch(path('redirect', { to: path('ok', { id }) })));
    expect(error.message).toContain(`redirects to ${base}, which is not followed`);
    expect([error.retryable, error.status]).toEqual([false, 302]);
    const manual = await open({ redirects: 'manual' }).fetch(path('redirect', { to: path('ok', { id }) }));
    expect(manual.status).toBe(302);
    await manual.body?.cancel();
    expect(await seen(id)).toEqual([]);
  });

  it('leave the headers with their origin, for good', async () => {
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

  it('never take a body to another origin', async () => {
    const id = newId();
    const to = path('ok', { id }, elsewhere);
    const init = { method: 'POST', body: 'client_secret=abc' };
    const error = await caught(
      open({ redirects: 'follow' }).fetch(path('redirect', { status: 307, to }), init),
    );
    expect(error.message).toContain('redirects the body');
    expect(await seen(id)).toEqual([]);
  });

  it('end when they go in circles', async () => {
    const id = newId();
    const error = await caught(open({ redirects: 'follow' }).fetch(path('circle', { id })));
    expect(error.message).toContain('redirects more than 5 times');
    expect(await seen(id)).toHaveLength(6);
  });

  it('of a trusted address lead to public addresses only', async () => {
    const id = newId();
    const http = open({ ...strict, trusted: true, redirects: 'follow' });
    expect(await http.text(await http.fetch(path('redirect', { to: '/ok' })))).toBe('fine');
    const error = await caught(http.fetch(path('redirect', { to: path('ok', { id }, elsewhere) })));
    expect(error).toBeInstanceOf(BadRequest);
    expect(error.message).toContain('not public');
    expect(await seen(id)).toEqual([]);
  });

  it('are not needed to be refused: a private address is none from the start', async () => {
    expect(await caught(open(strict).fetch(path('ok')))).toBeInstanceOf(BadRequest);
    expect(
      await open(strict)
        .fetch('file:///etc/passwd')
        .catch((error) => error),
    ).toBeInstanceOf(BadRequest);
  });
});

describe('a status that is none of success', () => {
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
  ])('%i is worth a retry: %s', async (status, retryable) => {
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

  it('may be worth a retry to one caller only, and a 429 always waits', async () => {
    const http = open();
    const also = await caught(http.request(path('status', { status: 409 }), {}, { alsoRetryable: true }));
    expect([also.retryable, also.retryAfter]).toEqual([true, undefined]);
    expect((await caught(http.request(path('status', { status: 429 })))).retryAfter).toBe(1);
  });

  it('repeats a bounded reason, even of an endless or exploding answer', async () => {
    const http = open();
    const long = await caught(http.request(path('status', { status: 400, say: 'l' })));
    expect(long.message.length).toBeLessThan(400);
    const bomb = await caught(http.request(path('bomb', { status: 400, size: 50_000_000 })));
    expect(bomb.status).toBe(400);
    const page = await caught(http.request(path('status', { status: 400, say: 'x' })));
    expect(page.message).toBe('The store answered 400: No such bucket.');
  });
});

describe('secrets', () => {
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
  ])('an answer that repeats %s does not get it into the error', async (_what, init, secrets) => {
    const http = open({ secrets: ['named-secret'] });
    const url = path('echo', { status: 401, 'X-Amz-Signature': 'deadbeefcafe', q: 'söme & value' });
    const error = await caught(http.request(url, init as RequestInit));
    expect(error.message).toContain('The store answered 401: No');
    const all = [...secrets, 'deadbeefcafe', 'söme & value', encodeURIComponent('söme & value')];
    for (const secret of all) expect(error.message).not.toContain(secret);
  });

  it('in a header that cannot be sent stays out of the error', async () => {
    const error = await caught(
      open().fetch(path('ok'), { headers: { authorization: 'Bearer s3cret\n-token' } }),
    );
    expect(error).toBeInstanceOf(Upstream);
    expect(error.retryable).toBe(false);
    expect(`${error.message} ${error.cause}`).not.toContain('s3cret');
  });
});

describe('attempts in place', () => {
  const retrying = (retries: number) => open({ retries });

  it('are as many as the rules give, and none by default', async () => {
    const id = newId();
    expect((await open().fetch(path('recovers', { id, status: 503, times: 1 }))).status).toBe(503);
    expect((await retrying(2).fetch(path('recovers', { id, status: 503, times: 3 }))).status).toBe(200);
    const hopeless = newId();
    const last = await retrying(1).fetch(path('recovers', { id: hopeless, status: 502, times: 9 }));
    expect(last.status).toBe(502);
    expect(await seen(hopeless)).toHaveLength(2);
  });

  it('are not made for what cannot pass, nor where the other side wants a longer wait', async () => {
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

describe('JSON', () => {
  const shape = z.object({ count: z.number() });
  const read = (say: string) => {
    const http = open();
    return http.fetch(path('json', { say })).then((response) => http.json(response, shape));
  };

  it('is given in its shape', async () => {
    expect(await read('{"count":3,"more":1}')).toEqual({ count: 3 });
  });

  it('that is none, or has another shape, is an error that says so', async () => {
    expect(await caught(read('<html>'))).toMatchObject({ retryable: true });
    expect((await caught(read('<html>'))).message).toBe(
      'The store answered 200 with an HTML page instead of JSON.',
    );
    const odd = await caught(read('{"count":"three"}'));
    expect(odd.message).toBe('The store answered with JSON of another shape: count (invalid_type).');
    expect(odd.retryable).toBe(false);
  });
});

describe('the trace that a request is made in', () => {
  const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', flags: '01' };
  const sent = async (headers: Record<string, string> = {}) => {
    const id = newId();
    await withinTrace(TRACE, () => open().fetch(path('echo', { id }), { headers }));
    return (await seen(id)).map((request) => request.headers);
  };

  it('goes with it, but for a header of the caller', async () => {
    expect(await sent({ tracestate: 'a=b' })).toMatchObject([
      { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    ]);
    expect(await sent({ traceparent: 'own' })).toMatchObject([{ traceparent: 'own' }]);
  });

  it('is none where nothing led to it', async () => {
    const id = newId();
    await open().fetch(path('echo', { id }));
    expect((await seen(id))[0]?.headers).not.toHaveProperty('traceparent');
  });
});

describe('a body that is to be kept', () => {
  it.each([204, 205, 206])('is none of an answer of status %i', async (status) => {
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
