import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { createApp } from '#src/app.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { type FileBody, keysUnder, type UrlBody } from '#test/support/files.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant } from '#test/support/tenants.ts';

const configured = {
  ...env,
  MAX_FILE_MIB: '1',
  R2_ACCOUNT_ID: '0123456789abcdef',
  R2_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  R2_SECRET_ACCESS_KEY: 'a secret access key',
  R2_BUCKET: 'sluice-files',
};

/** Creates the service with the bucket's S3 interface configured. */
async function service() {
  const app = createApp();
  const { key, projectId } = await createTenant();
  const call = async <Body>(method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = new Request(`http://sluice.test${path}`, { method, headers, body: JSON.stringify(body) });
    const answer = await app.fetch(request, configured, createExecutionContext());
    return { status: answer.status, body: (answer.status === 204 ? null : await answer.json()) as Body };
  };
  const presign = (name: string) => call<UrlBody>('PUT', '/api/v1/files?expires_at_seconds=60', { name });
  return { call, presign, projectId };
}

/** Stores the bytes as the bucket's own endpoint does, without a request to the service. */
const arrive = (url: string, content: string | Uint8Array) =>
  env.FILES.put(decodeURIComponent(new URL(url).pathname).replace('/sluice-files/', ''), content);

describe('uploads to the bucket’s own URL', () => {
  it('are registered when the file is used', async () => {
    const { call, presign } = await service();
    const { url, file_id } = (await presign('a.txt')).body;
    expect(new URL(url).host).toBe('0123456789abcdef.r2.cloudflarestorage.com');
    expect((await call('GET', `/api/v1/files/${file_id}/content`)).status).toBe(404);
    await arrive(url, 'hello');
    expect((await call<FileBody>('GET', `/api/v1/files/${file_id}`)).body.file_size).toBe(5);
    const content = await call<UrlBody>('GET', `/api/v1/files/${file_id}/content`);
    const key = decodeURIComponent(new URL(content.body.url).pathname).replace('/sluice-files/', '');
    expect(await (await env.FILES.get(key))?.text()).toBe('hello');
    expect(new URL(content.body.url).searchParams.get('response-content-disposition')).toContain('a.txt');
  });

  it('are registered when a pipeline with the file is synced', async () => {
    const { call, presign } = await service();
    const { url, file_id } = (await presign('tide.txt')).body;
    const { id } = (await call<{ id: string }>('POST', '/api/v1/pipelines', { name: 'tides' })).body;
    await call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
    await arrive(url, 'The tide turns at nine.');
    await call('POST', `/api/v1/pipelines/${id}/sync`);
    const status = () =>
      call<{ status: string; counts?: object }>('GET', `/api/v1/pipelines/${id}/status?full_details=true`);
    await vi.waitUntil(async () => (await status()).body.status === 'SUCCESS', { timeout: PATIENCE_MS });
    expect((await status()).body.counts).toEqual({ SUCCESS: 1 });
  });

  it('start a sync of their pipelines when the status of the file is requested', async () => {
    const { call, presign } = await service();
    const { url, file_id } = (await presign('tide.txt')).body;
    const { id } = (await call<{ id: string }>('POST', '/api/v1/pipelines', { name: 'tides' })).body;
    await call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
    await call('POST', `/api/v1/pipelines/${id}/sync`);
    const ended = async () =>
      (await call<{ status: string }>('GET', `/api/v1/pipelines/${id}/status`)).body.status === 'SUCCESS';
    await vi.waitUntil(ended, { timeout: PATIENCE_MS });
    const state = async () =>
      (await call<{ status: string }>('GET', `/api/v1/pipelines/${id}/files/${file_id}/status`)).body.status;
    expect(await state()).toBe('NOT_STARTED');
    await arrive(url, 'The tide turns at nine.');
    await vi.waitUntil(async () => (await state()) === 'SUCCESS', { timeout: PATIENCE_MS });
  });

  it('replace a registered file, but do not change its stored object', async () => {
    const { call, presign, projectId } = await service();
    const { url, file_id } = (await presign('a.txt')).body;
    await arrive(url, 'first');
    await call('GET', `/api/v1/files/${file_id}`);
    const [kept] = await keysUnder(`projects/${projectId}/files/`);
    await arrive(url, 'second one');
    expect(await (await env.FILES.get(kept!))?.text()).toBe('first');
    expect((await call<FileBody>('GET', `/api/v1/files/${file_id}`)).body.file_size).toBe(10);
    expect(await keysUnder(`projects/${projectId}/files/`)).toHaveLength(1);
  });

  it('are registered once by a sync of files', async () => {
    const { call, presign } = await service();
    const [one, two] = [(await presign('one.txt')).body, (await presign('two.txt')).body];
    await presign('never.txt');
    await arrive(one.url, '1');
    await arrive(two.url, '22');
    const synced = await call<FileBody[]>('PUT', '/api/v1/files/sync');
    expect(synced.body.map((file) => [file.name, file.file_size]).sort()).toEqual([
      ['one.txt', 1],
      ['two.txt', 2],
    ]);
    expect((await call<FileBody[]>('PUT', '/api/v1/files/sync')).body).toEqual([]);
  });

  it('apply the announced name only once the bytes have arrived', async () => {
    const { call } = await service();
    const announce = async (name: string) =>
      (await call<UrlBody>('PUT', '/api/v1/files', { name, external_file_id: 'doc' })).body;
    const { url, file_id } = await announce('old.txt');
    await arrive(url, 'old');
    const getFile = async () => (await call<FileBody>('GET', `/api/v1/files/${file_id}`)).body;
    expect(await getFile()).toMatchObject({ name: 'old.txt', file_size: 3 });
    const next = await announce('new.csv');
    expect(await getFile()).toMatchObject({ name: 'old.txt', file_type: 'txt' });
    await arrive(next.url, 'newer');
    expect(await getFile()).toMatchObject({ name: 'new.csv', file_type: 'csv', file_size: 5 });
  });

  it('are hashed like other uploads', async () => {
    const { call, presign } = await service();
    const { url, file_id } = (await presign('a.txt')).body;
    await arrive(url, 'hashed');
    await call('GET', `/api/v1/files/${file_id}`);
    const row = await env.DB.prepare('select content_hash from files where id = ?').bind(file_id).first();
    expect(row?.content_hash).toBe(await sha256('hashed'));
  });

  it('are deleted if they are too large', async () => {
    const { call, presign, projectId } = await service();
    const { url, file_id } = (await presign('big.bin')).body;
    await arrive(url, new Uint8Array(1024 * 1024 + 1));
    expect((await call<FileBody>('GET', `/api/v1/files/${file_id}`)).body.file_size).toBeNull();
    expect(await keysUnder(`projects/${projectId}/files/`)).toEqual([]);
  });

  it('are deleted with their file', async () => {
    const { call, presign, projectId } = await service();
    const { url, file_id } = (await presign('a.txt')).body;
    await arrive(url, 'x');
    expect((await call('DELETE', `/api/v1/files/${file_id}`)).status).toBe(204);
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
  });
});
