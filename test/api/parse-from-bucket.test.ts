import { afterEach, expect, it, vi } from 'vitest';
import { call } from '#test/support/client.ts';
import { dumpDatabase } from '#test/support/dump.ts';
import { INVOICE, run } from '#test/support/jobs.ts';
import { buildRefusal, errorXml } from '#test/support/s3-protocol.ts';
import { createTenant } from '#test/support/tenants.ts';

const CREDENTIALS = { accessKeyId: 'AKIDOFTHEBUCKET', secretAccessKey: 'bucket+secret/of=tests' };
const HOST = '93.184.215.14';
const OBJECTS = new Map([
  ['inbox/2026/invoice 1.md', INVOICE],
  ['inbox/empty.md', ''],
  ['private/invoice.md', INVOICE],
]);

afterEach(() => void vi.restoreAllMocks());

/** Stubs fetch with a bucket that verifies request signatures. */
function serveBucket(): void {
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input as Request, init);
    const url = new URL(request.url);
    if (url.host !== HOST) return real(input, init);
    const { method } = request;
    const headers = Object.fromEntries(request.headers);
    const signed = { method, path: url.pathname + url.search, host: HOST, headers };
    const refusal = buildRefusal(signed, 'us-east-1', CREDENTIALS);
    if (refusal) return new Response(errorXml(refusal.code), { status: refusal.status });
    const text = OBJECTS.get(decodeURIComponent(url.pathname).replace('/papers/', ''));
    return text === undefined ? new Response(errorXml('NoSuchKey'), { status: 404 }) : new Response(text);
  });
}

async function projectWithBucket(component: object = {}): Promise<string> {
  const { key } = await createTenant();
  const body = {
    name: 'papers',
    source_type: 'SOURCE_9_BUCKET',
    component: {
      bucket: 'papers',
      cloud_access_id: CREDENTIALS.accessKeyId,
      cloud_access_secret: CREDENTIALS.secretAccessKey,
      bucket_endpoint_url: `https://${HOST}`,
      prefix: 'inbox/',
      regex_pattern: '\\.md$',
      ...component,
    },
  };
  expect((await call('POST', '/api/v1/data-sources', { body, key })).status).toBe(200);
  return key;
}

const parsing = (input_bucket_path: string) => ({ configuration: { input_bucket_path } });

it('parses an object that a bucket data source of the project covers, with its credentials', async () => {
  serveBucket();
  const key = await projectWithBucket();
  for (const path of ['s3://papers/inbox/2026/invoice 1.md', 'papers/inbox/2026/invoice 1.md']) {
    const job = await run('parse', parsing(path), key);
    expect(job).toMatchObject({ status: 'COMPLETED', url: 's3://papers/inbox/2026/invoice 1.md' });
    const { body } = await call('GET', `/api/v2/parse/${job.id}?expand=text`, { key });
    expect(JSON.stringify(body)).toContain('INV-2041');
    const file = await call<{ name: string }>('GET', `/api/v1/files/${job.file_id}`, { key });
    expect(file.body.name).toBe('invoice 1.md');
  }
  expect(await dumpDatabase()).not.toContain(CREDENTIALS.secretAccessKey);
});

it.each([
  ['inbox/gone.md', 'does not contain this object'],
  ['inbox/empty.md', 'is empty'],
])('fails for %s: %s', async (path, why) => {
  serveBucket();
  const job = await run('parse', parsing(`papers/${path}`), await projectWithBucket());
  expect(job).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining(why) });
});

it('fails with the reason of the store if the credentials are wrong, without repeating them', async () => {
  serveBucket();
  const key = await projectWithBucket({ cloud_access_secret: 'another+secret' });
  const job = await run('parse', parsing('papers/inbox/2026/invoice 1.md'), key);
  expect(job.status).toBe('FAILED');
  expect(job.error_message).toContain('SignatureDoesNotMatch');
  expect(job.error_message).not.toContain('another+secret');
});

it.each([
  [parsing('papers/private/invoice.md'), 'input_bucket_path', 'data source'],
  [parsing('papers/inbox/picture.png'), 'input_bucket_path', 'data source'],
  [parsing('others/inbox/2026/invoice 1.md'), 'input_bucket_path', 'data source'],
  [parsing('papers'), 'input_bucket_path', 'bucket/key'],
  [parsing('s3://papers/inbox/'), 'input_bucket_path', 'bucket/key'],
  [{ url: 'https://h.example/a', ...parsing('papers/inbox/a.md') }, 'input_bucket_path', 'url'],
])('rejects %j', async (body, name, word) => {
  const key = await projectWithBucket();
  const answer = await call<{ detail: { loc: string[]; msg: string }[] }>('POST', '/api/v2/parse', {
    body,
    key,
  });
  expect(answer.status).toBe(422);
  expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'configuration', name] });
  expect(answer.body.detail[0]!.msg).toContain(word);
});

it('does not use the data source of another project', async () => {
  await projectWithBucket();
  const { key } = await createTenant();
  const body = parsing('papers/inbox/2026/invoice 1.md');
  expect((await call('POST', '/api/v2/parse', { body, key })).status).toBe(422);
});
