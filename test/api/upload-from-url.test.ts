import { afterEach, describe, expect, it, vi } from 'vitest';
import { call } from '#test/support/client.ts';
import { type FileBody, follow, keysUnder, textOf, type UrlBody } from '#test/support/files.ts';
import { createTenant } from '#test/support/tenants.ts';

type Failure = { detail: string | { loc: string[]; msg: string }[]; code: string; retryable: boolean };

// Literal public addresses need no DNS lookup. The tests stub fetch, so no request leaves the machine.
const HOST = 'https://93.184.215.14';
const OTHER = 'https://93.184.215.15';

const requests: Request[] = [];

function play(answer: (request: Request) => Response | Promise<Response>) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    requests.push(request);
    return answer(request);
  });
}

afterEach(() => {
  vi.restoreAllMocks();
  requests.length = 0;
});

const fetchInto = (body: Record<string, unknown>, key?: string) =>
  call<FileBody & Failure>('PUT', '/api/v1/files/upload_from_url', { body, ...(key && { key }) });

const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } });

describe('uploading from a URL', () => {
  it('stores the response of the URL', async () => {
    play(() => new Response('the report', { headers: { 'content-type': 'text/plain' } }));
    const answer = await fetchInto({
      url: `${HOST}/a/annual%20report.txt?x=1`,
      resource_info: { from: 'web' },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { name: 'annual report.txt', file_type: 'txt', file_size: 10, resource_info: { from: 'web' } },
    });
    const { url } = (await call<UrlBody>('GET', `/api/v1/files/${answer.body.id}/content`)).body;
    const download = await follow(url);
    expect(download.headers.get('content-type')).toBe('text/plain');
    expect(await textOf(download)).toBe('the report');
  });

  it.each([
    ['attachment; filename="plain.pdf"', '/x', 'plain.pdf'],
    ["attachment; filename=a.pdf; filename*=UTF-8''na%C3%AFve.pdf", '/x', 'naïve.pdf'],
    ['attachment; filename="../../up.pdf"', '/x', 'up.pdf'],
    ['inline', '/docs/from-path.pdf', 'from-path.pdf'],
    ['inline', '/', '93.184.215.14'],
  ])('names the file after %s at %s', async (header, path, name) => {
    play(() => new Response('x', { headers: { 'content-disposition': header } }));
    expect((await fetchInto({ url: HOST + path })).body.name).toBe(name);
  });

  it('uses the given name', async () => {
    play(() => new Response('x', { headers: { 'content-disposition': 'attachment; filename=a.pdf' } }));
    expect((await fetchInto({ url: `${HOST}/x`, name: 'mine.pdf' })).body.name).toBe('mine.pdf');
  });

  it('follows redirects, and sends the caller’s headers only to the first origin', async () => {
    play((request) => {
      const { href, origin } = new URL(request.url);
      if (href === `${HOST}/one`) return redirect('/two', 301);
      if (href === `${HOST}/two`) return redirect(`${OTHER}/three`, 307);
      if (origin === OTHER) return redirect(`${HOST}/four.txt`);
      return new Response('arrived');
    });
    const answer = await fetchInto({
      url: `${HOST}/one`,
      request_headers: { authorization: 'Bearer s3cret' },
    });
    expect(answer).toMatchObject({ status: 200, body: { name: 'four.txt' } });
    expect(requests.map((request) => request.headers.get('authorization'))).toEqual([
      'Bearer s3cret',
      'Bearer s3cret',
      null,
      null,
    ]);
    expect(requests.every((request) => request.redirect === 'manual')).toBe(true);
  });

  it('follows no redirects if they are disabled, and at most five otherwise', async () => {
    play(() => redirect('/again'));
    const refused = await fetchInto({ url: HOST, follow_redirects: false });
    expect([refused.status, requests.length]).toEqual([400, 1]);
    const endless = await fetchInto({ url: HOST });
    expect([endless.status, requests.length]).toEqual([400, 7]);
    expect(endless.body.detail).toMatch(/more than 5 times/);
  });

  it.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:10.0.0.1]/',
    'http://0x7f.1/',
    'http://localhost:8787/',
    'http://user:pass@93.184.215.14/',
  ])('rejects %s directly and after a redirect', async (address) => {
    play(() => redirect(address));
    expect((await fetchInto({ url: address })).status).toBe(400);
    expect(requests).toEqual([]);
    expect((await fetchInto({ url: 'http://93.184.215.14/' })).status).toBe(400);
    expect(requests).toHaveLength(1);
  });

  it('rejects a redirect from https to http', async () => {
    play(() => redirect('http://93.184.215.14/'));
    expect((await fetchInto({ url: HOST })).body.detail).toMatch(/from https to http/);
  });

  it.each([
    [404, 400, false],
    [401, 400, false],
    [304, 400, false],
    [429, 502, true],
    [503, 502, true],
  ])('answers an upstream status of %i with %i', async (theirs, ours, retryable) => {
    play(() => new Response(null, { status: theirs, headers: { 'retry-after': '7' } }));
    const answer = await fetchInto({ url: HOST });
    expect([answer.status, answer.body.retryable]).toEqual([ours, retryable]);
    expect(answer.body.detail).toContain(String(theirs));
    if (retryable) expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('answers 502 if the upstream cannot be reached or aborts, and stores nothing', async () => {
    const { key, projectId } = await createTenant();
    play(() => Promise.reject(new TypeError('connection refused')));
    expect(await fetchInto({ url: HOST }, key)).toMatchObject({ status: 502, body: { code: 'upstream' } });
    vi.restoreAllMocks();
    play(() => {
      let pulls = 0;
      return new Response(
        new ReadableStream({
          pull(controller) {
            pulls += 1;
            if (pulls === 1) controller.enqueue(new Uint8Array(10));
            else controller.error(new Error('reset'));
          },
        }),
      );
    });
    expect(await fetchInto({ url: HOST }, key)).toMatchObject({ status: 502, body: { code: 'upstream' } });
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
    expect((await call<FileBody[]>('GET', '/api/v1/files', { key })).body).toEqual([]);
  });

  it('rejects an empty or too large response, and stores nothing', async () => {
    const { key, projectId } = await createTenant();
    play(() => new Response(''));
    expect((await fetchInto({ url: HOST }, key)).status).toBe(400);
    vi.restoreAllMocks();
    play(() => new Response('x', { headers: { 'content-length': String(600 * 1024 * 1024) } }));
    expect((await fetchInto({ url: HOST }, key)).status).toBe(413);
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
  });

  it.each([
    [{}, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: HOST, name: '' }, 'name'],
    [{ url: HOST, proxy_url: 'http://proxy.example:3128' }, 'proxy_url'],
    [{ url: HOST, request_headers: { Host: 'inside' } }, 'request_headers'],
    [{ url: HOST, request_headers: { 'x-a': 'b\r\nx-c: d' } }, 'request_headers'],
    [{ url: HOST, request_headers: { 'no spaces': 'x' } }, 'request_headers'],
  ])('names the invalid field in %j', async (body, field) => {
    play(() => new Response('x'));
    const answer = await fetchInto(body);
    expect(answer.status).toBe(422);
    expect((answer.body.detail as { loc: string[] }[])[0]?.loc.slice(0, 2)).toEqual(['body', field]);
    expect(requests).toEqual([]);
  });

  it('requires a key', async () => {
    const answer = await call('PUT', '/api/v1/files/upload_from_url', { key: null, body: { url: HOST } });
    expect(answer.status).toBe(401);
  });
});
