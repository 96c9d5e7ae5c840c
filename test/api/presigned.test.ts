import { describe, expect, it, vi } from 'vitest';
import { call, fetchService, upload } from '#test/support/client.ts';
import {
  type FileBody,
  follow,
  keysUnder,
  presignedUpload,
  textOf,
  type UrlBody,
} from '#test/support/files.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createPipeline, retrieve, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const contentUrl = async (id: string, query = '') =>
  (await call<UrlBody>('GET', `/api/v1/files/${id}/content${query}`)).body;

describe('a presigned upload', () => {
  it('accepts a plain PUT without a key, and registers the file', async () => {
    const { url, file_id, form_fields, expires_at } = await presignedUpload({
      name: 'Report.PDF',
      resource_info: { from: 'tests' },
    });
    expect(form_fields).toBeNull();
    const lifetime = Date.parse(expires_at) - Date.now();
    expect(lifetime).toBeGreaterThan(3_500_000);
    expect(lifetime).toBeLessThanOrEqual(3_600_000);
    const before = await call<FileBody>('GET', `/api/v1/files/${file_id}`);
    expect(before.body).toMatchObject({ name: 'Report.PDF', file_type: 'pdf', file_size: null });
    expect((await call('GET', `/api/v1/files/${file_id}/content`)).status).toBe(404);

    expect((await follow(url, 'PUT', { raw: 'hello' })).status).toBe(200);
    const after = await call<FileBody>('GET', `/api/v1/files/${file_id}`);
    expect(after.body).toMatchObject({ file_size: 5, resource_info: { from: 'tests' } });
    expect(await textOf(await follow((await contentUrl(file_id)).url))).toBe('hello');
  });

  it('stores a valid Content-Type, and replaces an invalid one', async () => {
    const typeAfter = async (type: string) => {
      const { url, file_id } = await presignedUpload({ name: 'a.bin' });
      expect((await follow(url, 'PUT', { raw: 'x', headers: { 'content-type': type } })).status).toBe(200);
      return (await follow((await contentUrl(file_id)).url)).headers.get('content-type');
    };
    expect(await typeAfter('text/plain; charset=utf-8')).toBe('text/plain; charset=utf-8');
    expect(await typeAfter(`text/${'a'.repeat(20_000)}`)).toBe('application/octet-stream');
    expect(await typeAfter('not a media type')).toBe('application/octet-stream');
  });

  it('replaces the bytes when it is used again, and keeps one object', async () => {
    const { projectId, key } = await createTenant();
    const { url, file_id } = await presignedUpload({ name: 'a.txt' }, { key });
    await follow(url, 'PUT', { raw: 'first' });
    await follow(url, 'PUT', { raw: 'second, longer' });
    const read = await call<FileBody>('GET', `/api/v1/files/${file_id}`, { key });
    expect(read.body.file_size).toBe(14);
    expect(await keysUnder(`projects/${projectId}/`)).toHaveLength(1);
  });

  it('is indexed by the pipelines of the file without a sync request', async () => {
    const external_file_id = crypto.randomUUID();
    const { url, file_id } = await presignedUpload({ name: 'tide.txt', external_file_id });
    const id = await createPipeline();
    await call('PUT', `/api/v1/pipelines/${id}/files`, { body: [{ file_id }] });
    await untilFinished(id);
    const isFound = (word: string) => async () =>
      (await retrieve(id, word, { alpha: 0, enable_reranking: false })).length > 0;
    await follow(url, 'PUT', { raw: 'It turns at nine.' });
    await vi.waitUntil(isFound('nine'), { timeout: PATIENCE_MS });
    const query = `?external_file_id=${external_file_id}`;
    expect(await upload('tide.txt', 'It turns at seven.', { query })).toBe(file_id);
    await vi.waitUntil(isFound('seven'), { timeout: PATIENCE_MS });
    expect(await isFound('nine')()).toBe(false);
  });

  it('keeps the id of an external file, and its bytes until the new ones arrive', async () => {
    const external_file_id = crypto.randomUUID();
    const id = await upload('old.txt', 'old bytes', { query: `?external_file_id=${external_file_id}` });
    const { url, file_id } = await presignedUpload({ name: 'new.txt', external_file_id });
    expect(file_id).toBe(id);
    expect(await textOf(await follow((await contentUrl(id)).url))).toBe('old bytes');
    await follow(url, 'PUT', { raw: 'new bytes' });
    const answer = await follow((await contentUrl(id)).url);
    expect(answer.headers.get('content-disposition')).toContain('new.txt');
    expect(await textOf(answer)).toBe('new bytes');
  });

  it('changes only the given properties, and the name only when the bytes arrive', async () => {
    const external_file_id = crypto.randomUUID();
    const described = { resource_info: { web: 'page' }, permission_info: { group: 'crew' } };
    const first = await presignedUpload({ name: 'old.txt', external_file_id, ...described });
    await follow(first.url, 'PUT', { raw: 'old bytes' });
    const { url } = await presignedUpload({
      name: 'new.PDF',
      external_file_id,
      resource_info: { web: 'new page' },
    });
    const getFile = async () => (await call<FileBody>('GET', `/api/v1/files/${first.file_id}`)).body;
    const kept = { permission_info: { group: 'crew' }, resource_info: { web: 'new page' } };
    expect(await getFile()).toMatchObject({ name: 'old.txt', file_type: 'txt', file_size: 9, ...kept });
    await follow(url, 'PUT', { raw: 'new' });
    expect(await getFile()).toMatchObject({ name: 'new.PDF', file_type: 'pdf', file_size: 3, ...kept });
    await follow(first.url, 'PUT', { raw: 'again' });
    expect(await getFile()).toMatchObject({ name: 'new.PDF', file_size: 5 });
  });

  it('stores an empty file', async () => {
    const { url, file_id } = await presignedUpload({ name: 'empty.txt' });
    expect((await follow(url, 'PUT')).status).toBe(200);
    expect((await call<FileBody>('GET', `/api/v1/files/${file_id}`)).body.file_size).toBe(0);
    const answer = await follow((await contentUrl(file_id)).url);
    expect([answer.status, await textOf(answer)]).toEqual([200, '']);
  });

  it('is rejected if the announced size is too large', async () => {
    const body = { name: 'big.bin', file_size: 600 * 1024 * 1024 };
    expect((await call('PUT', '/api/v1/files', { body })).status).toBe(413);
  });

  it('answers 404 once the file has been deleted, and stores nothing', async () => {
    const { key, projectId } = await createTenant();
    const { url, file_id } = await presignedUpload({ name: 'a.txt' }, { key });
    expect((await call('DELETE', `/api/v1/files/${file_id}`, { key })).status).toBe(204);
    expect((await follow(url, 'PUT', { raw: 'late' })).status).toBe(404);
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(3001) }, 'name'],
    [{ name: 'a', file_size: -1 }, 'file_size'],
    [{ name: 'a', last_modified_at: 'yesterday' }, 'last_modified_at'],
    [{ name: 'a', data_source_id: 'x' }, 'data_source_id'],
  ])('names the invalid field in %j', async (body, field) => {
    const answer = await call<{ detail: { loc: string[] }[] }>('PUT', '/api/v1/files', { body });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]?.loc).toEqual(['body', field]);
  });

  it.each([0, -1, 604_801, 1.5, 'soon'])('rejects a lifetime of %s', async (lifetime) => {
    const query = `?expires_at_seconds=${lifetime}`;
    expect((await call('PUT', `/api/v1/files${query}`, { body: { name: 'a' } })).status).toBe(422);
  });

  it('requires a key', async () => {
    expect((await call('PUT', '/api/v1/files', { key: null, body: { name: 'a' } })).status).toBe(401);
    expect((await call('PUT', '/api/v1/files/sync', { key: null })).status).toBe(401);
  });

  it('needs no sync of files afterwards', async () => {
    const { key } = await createTenant();
    const { url } = await presignedUpload({ name: 'a.txt' }, { key });
    await follow(url, 'PUT', { raw: 'x' });
    expect(await call('PUT', '/api/v1/files/sync', { key })).toMatchObject({ status: 200, body: [] });
  });
});

describe('a presigned URL', () => {
  it.each<[string, (url: URL) => void]>([
    [
      'another path',
      (url) => Object.assign(url, { pathname: url.pathname.replace('content', 'page_screenshots/0') }),
    ],
    ['another time', (url) => url.searchParams.set('expires', '99999999999')],
    ['another signature', (url) => url.searchParams.set('signature', 'AAAA')],
    ['no signature', (url) => url.searchParams.delete('signature')],
    ['two signatures', (url) => url.searchParams.append('signature', 'x')],
    ['something added', (url) => url.searchParams.append('download', '1')],
  ])('is rejected with %s', async (_, change) => {
    const url = new URL((await contentUrl(await upload('a.txt', 'secret'))).url);
    change(url);
    const answer = await follow(url.href);
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain('secret');
  });

  it('is bound to its method', async () => {
    const { url: write, file_id } = await presignedUpload({ name: 'a.txt' });
    await follow(write, 'PUT', { raw: 'kept' });
    const { url: read } = await contentUrl(file_id);
    expect((await follow(read, 'PUT', { raw: 'overwritten' })).status).toBe(403);
    expect((await follow(read, 'DELETE')).status).toBe(403);
    expect((await follow(write, 'GET')).status).toBe(403);
    expect(await textOf(await follow(read))).toBe('kept');
  });

  it('expires with an explicit error', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { url } = await contentUrl(await upload('a.txt', 'x'), '?expires_at_seconds=1');
    expect((await follow(url)).status).toBe(200);
    vi.setSystemTime(Date.now() + 1_100);
    const answer = await follow(url).finally(() => vi.useRealTimers());
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('expired') });
  });

  it('requires a key, and is not issued for another tenant’s file', async () => {
    const id = await upload('a.txt', 'x');
    const { key } = await createTenant();
    expect((await call('GET', `/api/v1/files/${id}/content`, { key })).status).toBe(404);
    expect((await call('GET', `/api/v1/files/${id}/content`, { key: null })).status).toBe(401);
    expect((await call('GET', `/api/v1/files/${id}/content?expires_at_seconds=0`)).status).toBe(422);
  });
});

describe('a download', () => {
  const text = '0123456789';
  const get = async (headers: Record<string, string>, method = 'GET') => {
    const { url } = await contentUrl(await upload('Zürich (1).html', text));
    const answer = await follow(url, method, { headers });
    return { answer, body: await textOf(answer) };
  };

  it('has the file name in both forms, and headers that prevent execution', async () => {
    const { answer } = await get({});
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Z_rich (1).html"; filename*=UTF-8''Z%C3%BCrich%20%281%29.html`,
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('content-length')).toBe('10');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', text, 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('answers the range %s with 206', async (range, expected, contentRange) => {
    const { answer, body } = await get({ range });
    expect([answer.status, body, answer.headers.get('content-range')]).toEqual([206, expected, contentRange]);
  });

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('answers the range %s with 416', async (range) => {
    const { answer } = await get({ range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });

  it.each(['bytes=4-2', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,3-4', 'bytes=-'])(
    'ignores the range %s',
    async (range) => {
      const { answer, body } = await get({ range });
      expect([answer.status, body]).toEqual([200, text]);
    },
  );

  it('supports conditional requests', async () => {
    const { url } = await contentUrl(await upload('a.txt', text));
    const first = await follow(url);
    const etag = first.headers.get('etag')!;
    const modified = first.headers.get('last-modified')!;
    await textOf(first);
    const status = async (headers: Record<string, string>) => {
      const answer = await follow(url, 'GET', { headers });
      await textOf(answer);
      return answer.status;
    };
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await status({ 'if-none-match': '*' })).toBe(304);
    expect(await status({ 'if-none-match': '"other"' })).toBe(200);
    expect(await status({ 'if-modified-since': modified })).toBe(304);
    expect(await status({ 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).toBe(200);
    expect(await status({ 'if-none-match': '"other"', 'if-modified-since': modified })).toBe(200);
    expect(await status({ 'if-match': '"other"' })).toBe(412);
    expect(await status({ 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).toBe(412);
    expect(await status({ range: 'bytes=0-1', 'if-range': etag })).toBe(206);
    expect(await status({ range: 'bytes=0-1', 'if-range': '"other"' })).toBe(200);
    expect(await status({ range: 'bytes=0-1', 'if-range': modified })).toBe(206);
  });

  it('answers HEAD without a body', async () => {
    const { answer, body } = await get({ range: 'bytes=0-4' }, 'HEAD');
    expect([answer.status, body]).toEqual([206, '']);
    expect(answer.headers.get('etag')).toMatch(/^"/);
  });

  it('answers CORS preflight requests of any origin', async () => {
    const answer = await fetchService('OPTIONS', '/presigned/files/x', {
      key: null,
      headers: { origin: 'https://app.example', 'access-control-request-method': 'PUT' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-methods')).toContain('PUT');
  });
});
