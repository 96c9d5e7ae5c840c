import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { type Answer, call } from '#test/support/client.ts';
import { clientOf } from '#test/support/configured.ts';
import { type FileBody, keysUnder, multipart } from '#test/support/files.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Limits {
  [name: string]: { used: number; limit: number | null };
}
interface Refused {
  code: string;
  detail: string;
  limit?: string;
  retryable: boolean;
}

const limit = ({ key, projectId }: Tenant, limits: object | null, name = 'Default') =>
  call<{ limits?: object }>('PUT', `/api/v1/projects/${projectId}`, { key, body: { name, limits } });

async function limited(limits: object): Promise<Tenant> {
  const tenant = await createTenant();
  expect((await limit(tenant, limits)).status).toBe(200);
  return tenant;
}

const usage = async ({ key }: Tenant) =>
  (await call<{ limits: Limits }>('GET', '/api/v1/usage', { key })).body.limits;

const put = ({ key }: Tenant, content: string, query = '') =>
  multipart(`/api/v1/files${query}`, { upload_file: new File([content], 'note.txt') }, key) as Promise<
    Answer<FileBody & Refused>
  >;

const remove = ({ key }: Tenant, id: string) => call('DELETE', `/api/v1/files/${id}`, { key });

describe('the limits of a project', () => {
  it('are set by an admin with the project, and returned with it', async () => {
    const tenant = await createTenant();
    const set = await limit(tenant, { files: 3, bytes: null });
    expect(set).toMatchObject({ status: 200, body: { limits: { files: 3 } } });
    const path = `/api/v1/projects/${tenant.projectId}`;
    const { body } = await call<{ limits?: object }>('PUT', path, {
      key: tenant.key,
      body: { name: 'Default' },
    });
    expect(body.limits).toEqual({ files: 3 });
    expect((await limit(tenant, null)).body.limits).toBeUndefined();
  });

  it.each([{ files: -1 }, { bytes: 1.5 }, { pages_per_day: 'many' }])('cannot be %j', async (limits) => {
    expect((await limit(await createTenant(), limits)).status).toBe(422);
  });

  it('cannot be set with a key that is limited to the project', async () => {
    expect((await limit(await createTenant({ scoped: true }), { files: 1 })).status).toBe(403);
  });
});

describe('the limits on files and bytes', () => {
  it('accept uploads up to the limit, and reject more with a reason', async () => {
    const tenant = await limited({ files: 2, bytes: 10 });
    const first = await put(tenant, 'abc');
    const refused = await put(tenant, '12345678');
    expect(refused).toMatchObject({
      status: 402,
      body: {
        code: 'limit_reached',
        limit: 'bytes',
        retryable: false,
        detail: expect.stringContaining('10'),
      },
    });
    expect((await put(tenant, '1234567')).status).toBe(200);
    expect((await put(tenant, 'x')).body).toMatchObject({ limit: 'files' });
    expect(await usage(tenant)).toMatchObject({
      files: { used: 2, limit: 2 },
      bytes: { used: 10, limit: 10 },
    });
    expect(await keysUnder(`projects/${tenant.projectId}/`)).toHaveLength(2);
    await remove(tenant, first.body.id);
    expect(await usage(tenant)).toMatchObject({ files: { used: 1 }, bytes: { used: 7 } });
    expect((await put(tenant, 'xyz')).status).toBe(200);
  });

  it('count files from before the limit was set', async () => {
    const tenant = await createTenant();
    await put(tenant, 'abc');
    await put(tenant, 'defg');
    await limit(tenant, { bytes: 8 });
    expect(await usage(tenant)).toMatchObject({
      files: { used: 2, limit: null },
      bytes: { used: 7, limit: 8 },
    });
    expect((await put(tenant, 'xy')).status).toBe(402);
    await limit(tenant, { files: 1 });
    expect((await put(tenant, 'xy')).body.limit).toBe('files');
    await limit(tenant, {});
    expect((await put(tenant, 'xy')).status).toBe(200);
  });

  it('accept nothing if the limit is 0', async () => {
    expect((await put(await limited({ files: 0 }), 'a')).status).toBe(402);
    expect((await put(await limited({ bytes: 0 }), 'a')).status).toBe(402);
  });

  it('allow a replacement of the same or a smaller size, or a larger one if it fits', async () => {
    const tenant = await limited({ files: 1, bytes: 5 });
    const query = '?external_file_id=one';
    const { body } = await put(tenant, '12345', query);
    expect((await put(tenant, '54321', query)).body.id).toBe(body.id);
    const refused = await put(tenant, '123456', query);
    expect(refused).toMatchObject({ status: 402, body: { limit: 'bytes' } });
    await limit(tenant, { bytes: 1 });
    expect((await put(tenant, '123', query)).status).toBe(200);
    expect(await usage(tenant)).toMatchObject({ bytes: { used: 3 } });
    expect(await keysUnder(`projects/${tenant.projectId}/`)).toHaveLength(1);
  });

  it('check presigned uploads when they are announced and when their bytes arrive', async () => {
    const tenant = await limited({ files: 1, bytes: 4 });
    const announce = (body: object) =>
      call<{ file_id: string; url: string } & Refused>('PUT', '/api/v1/files', { key: tenant.key, body });
    expect((await announce({ name: 'a.txt', file_size: 5 })).body.limit).toBe('bytes');
    const { body } = await announce({ name: 'a.txt' });
    expect((await announce({ name: 'b.txt' })).body.limit).toBe('files');
    const send = (content: string) =>
      call<Refused>('PUT', body.url.slice(new URL(body.url).origin.length), {
        key: null,
        raw: new TextEncoder().encode(content).buffer as ArrayBuffer,
      });
    expect(await send('12345')).toMatchObject({ status: 402, body: { limit: 'bytes' } });
    expect((await send('1234')).status).toBeLessThan(300);
    expect(await usage(tenant)).toMatchObject({ files: { used: 1 }, bytes: { used: 4 } });
  });

  it('are not exceeded by concurrent uploads', async () => {
    const tenant = await limited({ files: 5, bytes: 1000 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(tenant, 'text')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(15);
    expect(await usage(tenant)).toMatchObject({ files: { used: 5 }, bytes: { used: 20 } });
  });

  it('default to the limits of the installation', async () => {
    const tenant = await createTenant();
    await put(tenant, 'abc');
    const ask = clientOf(tenant.key, { PROJECT_FILES: '2' });
    const announce = () => ask<Refused>('PUT', '/api/v1/files', { name: 'a.txt' });
    expect((await announce()).status).toBe(200);
    expect((await announce()).body).toMatchObject({ limit: 'files' });
    await limit(tenant, { files: 3 });
    expect((await announce()).status).toBe(200);
    expect((await announce()).status).toBe(402);
    const counted = await env.DB.prepare('select files from project_storage where project_id = ?')
      .bind(tenant.projectId)
      .first();
    expect(counted).toEqual({ files: 3 });
  });

  it('are reported to existing clients in their error format', async () => {
    const tenant = await limited({ files: 0 });
    const answer = await multipart(
      '/compat/api/v1/files',
      { upload_file: new File(['a'], 'a.txt') },
      tenant.key,
    );
    expect(answer).toMatchObject({ status: 402, body: { detail: expect.stringContaining('files') } });
  });
});
