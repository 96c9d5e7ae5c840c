import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { runInTrace } from '#src/lib/trace.ts';
import { createGuardedFetch } from '#src/upstream/http.ts';
import { caught, newId, open, path, seen } from './http-client.ts';

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
    const rules = { name: 'The model', settings: { ALLOW_PRIVATE_ADDRESSES: true }, maxBytes: 4000 };
    const patient = createGuardedFetch({ ...rules, silenceSeconds: 20 });
    const reading = patient(path('big', { size: 5000 })).then((response) => response.json());
    expect((await caught(reading)).message).toContain('The model did not finish its answer');
    const impatient = createGuardedFetch({ ...rules, silenceSeconds: 0.3 });
    expect((await caught(impatient(path('silent')))).message).toContain('The model did not answer');
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
