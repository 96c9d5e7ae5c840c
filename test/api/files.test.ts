import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createApp } from '#src/app.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import {
  type FileBody,
  follow,
  keysUnder,
  multipart,
  presignedUpload,
  textOf,
  type UrlBody,
} from '#test/support/files.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const file = (name: string, content: string | Uint8Array = 'text') => new File([content as string], name);
const download = async (id: string) => {
  const { url } = (await call<UrlBody>('GET', `/api/v1/files/${id}/content`)).body;
  return textOf(await follow(url));
};

describe('a multipart upload', () => {
  it('stores the bytes and the file properties', async () => {
    const answer = await multipart('/api/v1/files', { upload_file: file('Report.Final.PDF', 'bytes') });
    expect(answer).toMatchObject({
      status: 200,
      body: { name: 'Report.Final.PDF', file_type: 'pdf', file_size: 5 },
    });
    expect(await download(answer.body.id)).toBe('bytes');
    expect((await call<FileBody>('GET', `/api/v1/files/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it('removes folders from file names', async () => {
    const { body } = await multipart('/api/v1/files', { upload_file: file('../../etc/notes.txt') });
    expect(body.name).toBe('notes.txt');
  });

  it('replaces the bytes of the same external file, and keeps its id', async () => {
    const { key, projectId } = await createTenant();
    const path = '/api/v1/files?external_file_id=doc-1';
    const first = await multipart(path, { upload_file: file('a.txt', 'one') }, key);
    const second = await multipart(path, { upload_file: file('b.txt', 'second') }, key);
    expect(second.body).toMatchObject({ id: first.body.id, name: 'b.txt', file_size: 6 });
    expect((await call<FileBody[]>('GET', '/api/v1/files', { key })).body).toEqual([second.body]);
    expect(await keysUnder(`projects/${projectId}/`)).toHaveLength(1);
  });

  it('creates a new file if the external id is empty', async () => {
    const { key } = await createTenant();
    for (const [path, part] of [
      ['/api/v1/files?external_file_id=', {}],
      ['/api/v1/files', { external_file_id: '' }],
      ['/api/v1/beta/files', { external_file_id: '', purpose: 'parse' }],
    ] as const) {
      for (const name of ['a.txt', 'b.txt']) {
        const { body } = await multipart(path, { ...part, upload_file: file(name) }, key);
        expect(body).toMatchObject({ name, external_file_id: null });
      }
    }
    const listed = (await call<FileBody[]>('GET', '/api/v1/files', { key })).body;
    expect(listed.map(({ name }) => name).toSorted()).toEqual([
      ...Array(3).fill('a.txt'),
      ...Array(3).fill('b.txt'),
    ]);
  });

  it('limits the external id to 3,000 characters', async () => {
    const { key, projectId } = await createTenant();
    const long = 'x'.repeat(3001);
    for (const [path, part] of [
      [`/api/v1/files?external_file_id=${long}`, {}],
      ['/api/v1/files', { external_file_id: long }],
      ['/api/v1/beta/files', { external_file_id: long, purpose: 'parse' }],
    ] as const) {
      const answer = await multipart(path, { ...part, upload_file: file('a.txt') }, key);
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: 'string_too_long' }] } });
    }
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
    const query = `?external_file_id=${long.slice(1)}`;
    expect((await multipart(`/api/v1/files${query}`, { upload_file: file('a.txt') }, key)).status).toBe(200);
  });

  it.each([
    [{ upload_file: 'not a file' }, 'File must have a filename.'],
    [{ upload_file: file('a.txt', '') }, 'Uploaded file is empty.'],
  ])('rejects an invalid form', async (parts: Record<string, string | File>, detail) => {
    const { key, projectId } = await createTenant();
    const answer = await multipart('/api/v1/files', parts, key);
    expect(answer).toMatchObject({ status: 400, body: { detail } });
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
  });

  it('names the missing part', async () => {
    const { key, projectId } = await createTenant();
    const answer = await multipart('/api/v1/files', { other_part: file('a.txt') }, key);
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'upload_file'], type: 'missing' }] },
    });
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
  });

  it.each(['日本.txt', 'a–b.pdf', '“q”.txt', '🗼.md', 'ñandú été.txt', 'отчёт.txt', 'a;b=c.txt', "it's.txt"])(
    'accepts a file named %s',
    async (name) => {
      const { body } = await multipart('/api/v1/files', { upload_file: file(name, 'bytes') });
      expect(body).toMatchObject({ name, file_size: 5 });
      expect(await download(body.id)).toBe('bytes');
    },
  );

  it('rejects other content types, and requests without a key', async () => {
    expect((await call('POST', '/api/v1/files', { body: {} })).status).toBe(415);
    expect((await call('POST', '/api/v1/files', { key: null, body: {} })).status).toBe(401);
  });
});

describe('the size limit', () => {
  const small = { ...env, MAX_FILE_MIB: '1' };
  const tooMuch = new Uint8Array(1024 * 1024 + 1);

  it('applies to every kind of upload, and leaves nothing of a rejected file', async () => {
    const { key, projectId } = await createTenant();
    const app = createApp();
    const send = (request: Request) => app.fetch(request, small, createExecutionContext());
    const authorization = `Bearer ${key}`;

    const form = new FormData();
    form.append('upload_file', file('big.bin', tooMuch));
    const direct = new Request('http://sluice.test/api/v1/files', {
      method: 'POST',
      body: form,
      headers: { authorization },
    });
    const answer = await send(direct);
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      { detail: 'File size exceeds 1MB limit.' },
    ]);

    const { url } = await presignedUpload({ name: 'big.bin' }, { key });
    expect((await send(new Request(url, { method: 'PUT', body: tooMuch }))).status).toBe(413);
    const streamed = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(tooMuch);
        controller.close();
      },
    });
    expect((await send(new Request(url, { method: 'PUT', body: streamed }))).status).toBe(413);
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
  });

  it('allows a large file to be stored in parts', async () => {
    const bytes = new Uint8Array(9 * 1024 * 1024).map((_, at) => at & 255);
    const { url, file_id } = await presignedUpload({ name: 'large.bin' });
    expect((await follow(url, 'PUT', { raw: bytes })).status).toBe(200);
    const { url: read } = (await call<UrlBody>('GET', `/api/v1/files/${file_id}/content`)).body;
    const answer = await follow(read, 'GET', { headers: { range: 'bytes=8388607-8388609' } });
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([255, 0, 1]);
  });
});

describe('a file', () => {
  it('is found by its id with or without the prefix, only by its tenant', async () => {
    const id = await upload('a.txt', 'x');
    expect((await call<FileBody>('GET', `/api/v1/files/dfl-${id}`)).body.id).toBe(id);
    expect((await call('GET', '/api/v1/files/not-an-id')).status).toBe(404);
    expect((await call('GET', `/api/v1/files/${crypto.randomUUID()}`)).status).toBe(404);
    const { key } = await createTenant();
    expect((await call('GET', `/api/v1/files/${id}`, { key })).status).toBe(404);
    expect((await call('DELETE', `/api/v1/files/${id}`, { key })).status).toBe(404);
    expect((await call('DELETE', `/api/v1/files/${id}`, { key: null })).status).toBe(401);
  });
});

describe('deleting a file', () => {
  it('removes it from the index and its pages from the bucket', async () => {
    const pipelineId = await createPipeline();
    const [kept, gone] = (await addFiles(pipelineId, {
      'kept.txt': 'The harbour opens at seven.',
      'gone.txt': 'The lighthouse keeper collects striped barometers.',
    })) as [string, string];
    expect((await sync(pipelineId)).status).toBe('SUCCESS');
    const found = async () =>
      (await retrieve(pipelineId, 'striped barometers, lighthouse, harbour')).map(
        (each) => each.node.extra_info.file_id,
      );
    expect(await found()).toContain(gone);
    const row = await env.DB.prepare('select project_id, content_hash from files where id = ?')
      .bind(gone)
      .first<{ project_id: string; content_hash: string }>();
    const prefixes = [
      `projects/${row!.project_id}/files/${gone}/`,
      `projects/${row!.project_id}/parsed/${row!.content_hash}/`,
    ];
    for (const prefix of prefixes) expect(await keysUnder(prefix), prefix).not.toEqual([]);

    expect((await fetchService('DELETE', `/api/v1/files/${gone}`)).status).toBe(204);
    expect(await found()).toEqual([kept]);
    for (const prefix of prefixes) expect(await keysUnder(prefix), prefix).toEqual([]);
    const left = await env.DB.prepare('select count(*) as n from parses where content_hash = ?')
      .bind(row!.content_hash)
      .first<{ n: number }>();
    expect(left?.n).toBe(0);
  });
});
