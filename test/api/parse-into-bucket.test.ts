import { createHash } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { harbourReport } from '#test/fixtures/harbour-report.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, type JobBody, run } from '#test/support/jobs.ts';
import { buildRefusal, errorXml } from '#test/support/s3-protocol.ts';
import { createTenant } from '#test/support/tenants.ts';

const CREDENTIALS = { accessKeyId: 'AKIDOFTHEBUCKET', secretAccessKey: 'bucket+secret/of=tests' };
const HOST = '93.184.215.14';

interface Store {
  objects: Map<string, { body: Uint8Array; type: string | null }>;
  /** Regions that the requests were signed for. */
  regions: string[];
  /** Statuses of the next answers, before any other handling. */
  troubles: number[];
}

afterEach(() => void vi.restoreAllMocks());

/** Stubs fetch with a bucket that verifies signatures and body hashes. */
function serveBucket(region = 'us-east-1'): Store {
  const store: Store = { objects: new Map(), regions: [], troubles: [] };
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input as Request, init);
    const url = new URL(request.url);
    if (url.host !== HOST) return real(input, init);
    const body = new Uint8Array(await request.arrayBuffer());
    const trouble = store.troubles.shift();
    if (trouble) return new Response(errorXml('ServiceUnavailable'), { status: trouble });
    const headers = Object.fromEntries(request.headers);
    store.regions.push(/\/([^/]+)\/s3\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '');
    const signed = { method: request.method, path: url.pathname + url.search, host: HOST, headers };
    const refusal = buildRefusal(signed, region, CREDENTIALS);
    if (refusal) {
      return new Response(errorXml(refusal.code), {
        status: refusal.status,
        ...(refusal.headers && { headers: refusal.headers }),
      });
    }
    const hash = createHash('sha256').update(body).digest('hex');
    if (request.method === 'PUT' && headers['x-amz-content-sha256'] !== hash) {
      return new Response(errorXml('XAmzContentSHA256Mismatch'), { status: 400 });
    }
    const key = decodeURIComponent(url.pathname).replace('/papers/', '');
    if (request.method === 'PUT') {
      store.objects.set(key, { body, type: request.headers.get('content-type') });
      return new Response(null, { headers: { etag: '"e"' } });
    }
    const kept = store.objects.get(key);
    return kept ? new Response(kept.body as BodyInit) : new Response(errorXml('NoSuchKey'), { status: 404 });
  });
  return store;
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
      prefix: 'out/',
      ...component,
    },
  };
  expect((await call('POST', '/api/v1/data-sources', { body, key })).status).toBe(200);
  return key;
}

async function deliver(
  key: string,
  configuration: object,
  name = 'invoice.md',
  content: string | Uint8Array<ArrayBuffer> = INVOICE,
) {
  const file_id = await upload(name, content, { key });
  return run(
    'parse',
    { file_id, configuration: { output_bucket_path_prefix: 's3://papers/out/2026', ...configuration } },
    key,
  );
}

it('writes every form of the result to the bucket, with the credentials of the data source', async () => {
  const { objects } = serveBucket();
  const key = await projectWithBucket();
  const job = await deliver(key, { output_pdf_of_document: true });
  expect(job.status).toBe('COMPLETED');
  const prefix = `out/2026/${job.id}/`;
  const names = ['result.md', 'result.txt', 'result.json', 'result.xlsx', 'result.pdf'];
  expect([...objects.keys()]).toEqual(names.map((name) => prefix + name));
  expect(job.delivery).toEqual({
    bucket: 'papers',
    prefix,
    error: null,
    objects: names.map((name) => ({
      key: prefix + name,
      size_bytes: objects.get(prefix + name)!.body.byteLength,
      content_type: objects.get(prefix + name)!.type,
    })),
  });
  const { body } = await call<JobBody>('GET', `/api/v2/parse/${job.id}?expand=markdown_full`, { key });
  expect(new TextDecoder().decode(objects.get(`${prefix}result.md`)!.body)).toBe(body.markdown_full);
});

it('writes the pictures that the parameters select', async () => {
  const { objects } = serveBucket();
  const key = await projectWithBucket();
  const configuration = { images_to_save: ['screenshot', 'layout', 'embedded'] };
  const job = await deliver(key, configuration, 'report.pdf', harbourReport());
  const names = [...objects.keys()].map((name) => name.replace(`out/2026/${job.id}/`, ''));
  expect(names).toEqual(
    expect.arrayContaining([
      'images/page_1.png',
      'images/page_2_layout_table_1.png',
      expect.stringMatching(/^images\/page_3_figure_1\./),
    ]),
  );
  expect(objects.get(`out/2026/${job.id}/images/page_1.png`)!.type).toBe('image/png');
});

it('signs uploads for the given region', async () => {
  const { regions } = serveBucket('eu-central-1');
  const key = await projectWithBucket();
  expect((await deliver(key, { output_bucket_region: 'eu-central-1' })).delivery).toMatchObject({
    error: null,
  });
  expect(new Set(regions)).toEqual(new Set(['eu-central-1']));
  regions.length = 0;
  expect((await deliver(key, {})).delivery).toMatchObject({ error: null });
  expect(regions.slice(0, 2)).toEqual(['us-east-1', 'eu-central-1']);
});

it('signs downloads for the given region', async () => {
  const { objects, regions } = serveBucket('eu-central-1');
  objects.set('out/invoice.md', { body: new TextEncoder().encode(INVOICE), type: null });
  const key = await projectWithBucket();
  const configuration = { input_bucket_path: 'papers/out/invoice.md', input_bucket_region: 'eu-central-1' };
  expect((await run('parse', { configuration }, key)).status).toBe('COMPLETED');
  expect(regions).toEqual(['eu-central-1']);
});

it('retries after a temporary failure of the store', async () => {
  const store = serveBucket();
  const key = await projectWithBucket();
  store.troubles.push(503);
  const job = await deliver(key, {});
  expect(job).toMatchObject({ status: 'COMPLETED', attempt: 2, delivery: { error: null } });
  expect(store.objects.size).toBe(4);
});

it('keeps the result if the store fails at every attempt', async () => {
  const store = serveBucket();
  const key = await projectWithBucket();
  store.troubles.push(503, 503, 503, 503);
  const job = await deliver(key, {});
  expect(job).toMatchObject({ status: 'COMPLETED', attempt: 4, delivery: { objects: [] } });
  expect((job.delivery as { error: string }).error).toContain('ServiceUnavailable');
});

it('keeps the result if the store rejects the credentials, and reports the reason without the secret', async () => {
  serveBucket();
  const key = await projectWithBucket({ cloud_access_secret: 'another+secret' });
  const job = await deliver(key, {});
  expect(job).toMatchObject({ status: 'COMPLETED', attempt: 1, delivery: { objects: [] } });
  const { error } = job.delivery as { error: string };
  expect(error).toContain('SignatureDoesNotMatch');
  expect(error).not.toContain('another+secret');
  const { body } = await call<JobBody>('GET', `/api/v2/parse/${job.id}?expand=text_full`, { key });
  expect(body.text_full).toContain('INV-2041');
});

it.each([
  ['elsewhere/out', 'data source'],
  ['papers/private', 'data source'],
  ['s3://', 'bucket/prefix'],
  ['papers/out/../private', 'bucket/prefix'],
])('rejects the prefix %s', async (output_bucket_path_prefix, word) => {
  const key = await projectWithBucket();
  const file_id = await upload('invoice.md', INVOICE, { key });
  const body = { file_id, configuration: { output_bucket_path_prefix } };
  const answer = await call<{ detail: { loc: string[]; msg: string }[] }>('POST', '/api/v2/parse', {
    body,
    key,
  });
  expect(answer.status).toBe(422);
  expect(answer.body.detail[0]!.loc).toEqual(['body', 'configuration', 'output_bucket_path_prefix']);
  expect(answer.body.detail[0]!.msg).toContain(word);
});

it('warns about a region without a bucket', async () => {
  const file_id = await upload('invoice.md', INVOICE);
  const body = {
    file_id,
    configuration: { output_bucket_region: 'eu-central-1', input_bucket_region: 'eu-central-1' },
  };
  const answer = await call<{ warnings: { field: string }[] }>('POST', '/api/v2/parse', { body });
  expect(answer.body.warnings.map(({ field }) => field)).toEqual([
    'configuration.output_bucket_region',
    'configuration.input_bucket_region',
  ]);
});
