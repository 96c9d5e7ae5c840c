import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { toHex } from '#src/lib/secrets/hash.ts';
import { buildPdf, LOCKED, text } from '#test/fixtures/pdf.ts';
import { call, fetchService } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';

const good = buildPdf({ pages: [{ content: text(72, 700, 'The quick brown fox') }] });

const BROKEN: Record<string, [content: Uint8Array, message: RegExp]> = {
  'no-pages.pdf': [buildPdf({ pages: [] }), /NO_DATA_FOUND_IN_FILE.*no pages/],
  'truncated.pdf': [good.subarray(0, 150), /PDF_IS_BROKEN.*cut off/],
  'locked.pdf': [buildPdf({ pages: [{ content: '' }], encrypt: LOCKED }), /PDF_IS_PROTECTED.*password/],
  'garbage.pdf': [crypto.getRandomValues(new Uint8Array(4000)), /UNSUPPORTED_FILE_TYPE|PDF_IS_BROKEN/],
};

describe('files that cannot be read', () => {
  it('fail with a reason, and the other files are indexed', async () => {
    const pipelineId = await createPipeline();
    const broken = Object.fromEntries(Object.entries(BROKEN).map(([name, [content]]) => [name, content]));
    const ids = await addFiles(pipelineId, { ...broken, 'good.pdf': good });
    const empty = await putEmptyFile('empty.pdf');
    await call('PUT', `/api/v1/pipelines/${pipelineId}/files`, { body: [{ file_id: empty }] });
    const status = await sync(pipelineId);
    expect(status.status).toBe('PARTIAL_SUCCESS');
    expect(status.counts).toEqual({ ERROR: 5, SUCCESS: 1 });
    const expected = [...Object.values(BROKEN).map(([, message]) => message), /NO_DATA_FOUND_IN_FILE.*empty/];
    ids.splice(expected.length - 1, 1, empty);
    for (const [position, message] of expected.entries()) {
      const path = `/api/v1/pipelines/${pipelineId}/files/${ids[position]}/status`;
      const { body } = await call<{ status: string; error: { message: string; step: string }[] }>(
        'GET',
        path,
      );
      expect(body.status).toBe('ERROR');
      expect(body.error[0]).toMatchObject({ step: 'PARSE', message: expect.stringMatching(message) });
    }
    expect(status.error?.every((error) => /^[0-9a-f-]{36}$/.test(error.job_id))).toBe(true);
    expect((await retrieve(pipelineId, 'quick fox'))[0]?.node.text).toContain('quick brown fox');

    const again = await sync(pipelineId);
    expect(again.status).toBe('PARTIAL_SUCCESS');
    expect(again.progress?.counters).toEqual({});
  });

  it('make a sync without any other file fail', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'no-pages.pdf': buildPdf({ pages: [] }), 'blank.txt': '  \n ' });
    expect(await sync(pipelineId)).toMatchObject({ status: 'ERROR', counts: { ERROR: 2 } });
  });
});

/**
 * Uploads an empty file through a presigned URL. A multipart upload would be rejected, but a presigned upload
 * is only checked when the file is parsed.
 */
async function putEmptyFile(name: string): Promise<string> {
  const created = await call<{ file_id: string; url: string }>('PUT', '/api/v1/files', { body: { name } });
  const { pathname, search } = new URL(created.body.url);
  expect((await call('PUT', pathname + search, { key: null, raw: '' })).status).toBe(200);
  return created.body.file_id;
}

describe('uploads', () => {
  it('without content are rejected', async () => {
    const raw =
      '--b\r\nContent-Disposition: form-data; name="upload_file"; filename="a.pdf"\r\n\r\n\r\n--b--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await call('POST', '/api/v1/files', { headers, raw });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ detail: 'Uploaded file is empty.' });
  });

  const MEBIBYTE = 1024 * 1024;

  async function uploadStream(mebibytes: number): Promise<{ response: Response; hash: string }> {
    const boundary = 'sluice-test-boundary';
    const digest = new crypto.DigestStream('SHA-256');
    const hasher = digest.getWriter();
    const block = new Uint8Array(MEBIBYTE).map((_, index) => index % 251);
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="upload_file"; filename="large.bin"\r\n\r\n`;
    let sent = -1;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        sent += 1;
        if (sent === 0) return controller.enqueue(new TextEncoder().encode(head));
        if (sent > mebibytes) {
          controller.enqueue(new TextEncoder().encode(`\r\n--${boundary}--\r\n`));
          return controller.close();
        }
        await hasher.write(block);
        controller.enqueue(block.slice());
      },
    });
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const response = await fetchService('POST', '/api/v1/files', { headers, raw: stream });
    await hasher.close();
    return { response, hash: toHex(await digest.digest) };
  }

  it('of 50 MB are streamed and stored byte for byte', async () => {
    const { response, hash } = await uploadStream(50);
    expect(response.status).toBe(200);
    const { id, file_size } = await response.json<{ id: string; file_size: number }>();
    expect(file_size).toBe(50 * MEBIBYTE);
    const row = await env.DB.prepare('select content_hash, storage_key from files where id = ?')
      .bind(id)
      .first();
    expect(row?.content_hash).toBe(hash);
    expect((await env.FILES.head(String(row?.storage_key)))?.size).toBe(50 * MEBIBYTE);
  });

  it('above the limit are rejected with 413, and nothing is stored', async () => {
    const before = await env.DB.prepare('select count(*) as n from files').first('n');
    const { response } = await uploadStream(Number(env.MAX_FILE_MIB) + 1);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'too_large', detail: expect.stringMatching(/60MB/) });
    expect(await env.DB.prepare('select count(*) as n from files').first('n')).toBe(before);
  });

  it.each([
    ['a form without a file', 'name="other"\r\n\r\nvalue', 422, /upload_file.*missing/],
    ['a file without a name', 'name="upload_file"; filename=""\r\n\r\nvalue', 400, /must have a filename/],
  ])('with %s are rejected', async (_case, part, status, detail) => {
    const raw = `--b\r\nContent-Disposition: form-data; ${part}\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await call('POST', '/api/v1/files', { headers, raw });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toMatch(detail);
  });

  it.each([
    ["filename*=UTF-8''%zz.txt", '%zz.txt'],
    ["filename*=UTF-8''na%C3%AFve.txt", 'naïve.txt'],
    ["filename*=utf-8'en'na%C3%AFve.txt", 'naïve.txt'],
    ["filename*=UTF-8''..%2F..%2Fup.txt", 'up.txt'],
    ['filename="plain.txt"; filename*=UTF-8\'\'%ff%fe', 'plain.txt'],
  ])('with a file name written as %s are accepted', async (written, name) => {
    const raw = `--b\r\nContent-Disposition: form-data; name="upload_file"; ${written}\r\n\r\ntext\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await call<{ name?: string }>('POST', '/api/v1/files', { headers, raw });
    expect([answer.status, answer.body.name]).toEqual([200, name]);
  });

  it('with a truncated form are rejected', async () => {
    const raw = '--b\r\nContent-Disposition: form-data; name="upload_file"; filename="a.txt"\r\n\r\nhalf';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await call('POST', '/api/v1/files', { headers, raw })).status).toBe(422);
  });

  const part = (disposition: string) => `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\nv\r\n`;
  it.each([
    ['a name whose encoding is broken', part(`name="upload_file"; filename*=UTF-8''%zz.txt`)],
    ['fifty-one parts', `${part('name="x"').repeat(51)}${part('name="upload_file"; filename="a.txt"')}`],
    ['a field without end', part(`name="x"`).replace('v', 'v'.repeat(70_000))],
    ['endless headers', part(`name="x"; y="${'y'.repeat(100_000)}"`)],
    ['no boundary in its type', part('name="upload_file"; filename="a.txt"')],
    ['nothing but line ends', '\r\n'.repeat(100_000)],
  ])('with %s are rejected or accepted, without a server error', async (what, raw) => {
    const type = `multipart/form-data${what.startsWith('no boundary') ? '' : '; boundary=b'}`;
    const answer = await call('POST', '/api/v1/files', {
      headers: { 'content-type': type },
      raw: `${raw}--b--\r\n`,
    });
    expect([200, 400, 422]).toContain(answer.status);
  });
});

describe('pipelines', () => {
  it('answer 404 to all operations if they do not exist', async () => {
    const path = `/api/v1/pipelines/${crypto.randomUUID()}`;
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('POST', `${path}/sync`)).status).toBe(404);
    expect((await call('POST', `${path}/retrieve`, { body: { query: 'x' } })).status).toBe(404);
    expect((await call('PUT', `${path}/files`, { body: [] })).status).toBe(404);
  });

  it('are rejected with 409 and x-should-retry: false if the name is taken', async () => {
    const name = `taken ${crypto.randomUUID()}`;
    await createPipeline({ name });
    const answer = await call('POST', '/api/v1/pipelines', { body: { name } });
    expect(answer.status).toBe(409);
    expect(answer.headers.get('x-should-retry')).toBe('false');
  });

  it('index each file once when syncs are requested at the same time', async () => {
    const pipelineId = await createPipeline();
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`note-${n}.txt`, `Note ${n} speaks of subject number ${n}.`]),
    );
    await addFiles(pipelineId, files);
    await Promise.all([1, 2, 3].map(() => call('POST', `/api/v1/pipelines/${pipelineId}/sync`)));
    const status = await untilFinished(pipelineId);
    expect(status).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 12 } });
    const done = await env.DB.prepare(
      "select sum(counters ->> 'indexed') as indexed, count(*) as runs from sync_runs where pipeline_id = ?",
    )
      .bind(pipelineId)
      .first<{ indexed: number; runs: number }>();
    expect(done?.indexed).toBe(12);
    expect(done?.runs).toBeLessThanOrEqual(2);
    const hits = await retrieve(pipelineId, 'note subject number', { rerank_top_n: 30 });
    const found = hits.map((hit) => hit.node.extra_info.file_name);
    expect(new Set(found).size).toBe(found.length);
    expect(found).toHaveLength(12);
  });
});
