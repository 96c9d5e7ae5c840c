import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries, type SourceEntry, SourceError } from '#src/ports/source.ts';
import { checkSource, openSource } from '#src/sources/registry.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';

// General tests of sources are in test/sources/s3-suite.test.ts. These tests cover S3 only.

const SETTINGS = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 1 };
const sent: Request[] = [];
const answers: (() => Response)[] = [];

beforeEach(() => {
  sent.length = 0;
  answers.length = 0;
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    sent.push(new Request(input, init));
    return answers.shift()!();
  });
});
afterEach(() => vi.unstubAllGlobals());

const buildDeps = (limits = SETTINGS) => ({ tokens: createMemoryTokens(), log: createLogger(), limits });
const buildComponent = (component: Record<string, unknown>) => ({
  bucket: 'b',
  cloud_access_id: 'id',
  cloud_access_secret: 'secret',
  ...component,
});
const open = (component: Record<string, unknown> = {}, limits = SETTINGS) =>
  openSource('SOURCE_9_BUCKET', buildComponent(component), buildDeps(limits)).source;

const contents = (keys: string[]) =>
  keys.map((key) => `<Contents><Key>${key}</Key><ETag>"e"</ETag><Size>3</Size></Contents>`).join('');
const listing =
  (keys: string[], more = '') =>
  () =>
    new Response(`<ListBucketResult>${more}${contents(keys)}</ListBucketResult>`);
const refusal =
  (status: number, code: string, headers: HeadersInit = {}) =>
  () =>
    new Response(`<Error><Code>${code}</Code></Error>`, { status, headers });

describe('S3 source', () => {
  it.each([
    ['"e1"', 'e1'],
    ['W/"e1"', 'e1'],
    [null, null],
  ])('uses the ETag as version: %s', async (etag, version) => {
    answers.push(() => new Response('bytes', { headers: etag === null ? {} : { etag } }));
    expect(await open().read('key')).toMatchObject({ version });
  });

  it('accepts patterns in common notations', () => {
    for (const regex_pattern of ['report\\-\\d+\\.pdf$', '\\p{Lu}'])
      expect(() => open({ regex_pattern })).not.toThrow();
  });

  it('follows continuation tokens, decodes encoded keys and omits folders', async () => {
    answers.push(
      listing(
        ['a%2Bb+c.txt', 'dir/'],
        '<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t+1/=</NextContinuationToken>',
      ),
      listing(['x+y%2B.txt']),
    );
    const entries: SourceEntry[] = [];
    for await (const entry of listEntries(open())) entries.push(entry);
    expect(entries.map(({ id }) => id)).toEqual(['a+b c.txt', 'x+y%2B.txt']);
    expect(entries[0]).toMatchObject({ name: 'a+b c.txt', size: 3, version: 'e', modifiedAt: null });
    expect(new URL(sent[1]!.url).searchParams.get('continuation-token')).toBe('t+1/=');
  });

  it('retries in the region that the bucket names and stays there', async () => {
    answers.push(
      refusal(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-west-1' }),
      listing([]),
      listing([]),
    );
    const source = open({ bucket: 'bucket-name' });
    await source.list(null);
    await source.list(null);
    expect(sent.map(({ url }) => new URL(url).host)).toEqual([
      'bucket-name.s3.us-east-1.amazonaws.com',
      'bucket-name.s3.eu-west-1.amazonaws.com',
      'bucket-name.s3.eu-west-1.amazonaws.com',
    ]);
    expect(sent[1]!.headers.get('authorization')).toContain('/eu-west-1/s3/aws4_request');
  });

  it('uses path-style URLs for a custom endpoint and no signature without credentials', async () => {
    answers.push(listing([]));
    await checkSource(
      'SOURCE_9_BUCKET',
      buildComponent({ bucket_endpoint_url: 'http://store.test/base/', cloud_access_id: null }),
      buildDeps(),
    );
    expect(sent[0]!.url).toMatch(/^http:\/\/store\.test\/base\/b\/\?/);
    expect(sent[0]!.headers.get('authorization')).toBeNull();
  });

  it('distinguishes missing, refused and temporary errors', async () => {
    const source = open();
    answers.push(refusal(404, 'NoSuchKey'));
    expect(await source.read('a')).toBeUndefined();
    for (const [answer, expected] of [
      [refusal(403, 'AccessDenied'), { retryable: false, retryAfter: undefined }],
      [refusal(403, 'RequestTimeTooSkewed'), { retryable: true }],
      [refusal(503, 'SlowDown', { 'retry-after': '9' }), { retryable: true, retryAfter: 9 }],
      [refusal(429, 'TooMany'), { retryable: true, retryAfter: 1 }],
    ] as const) {
      answers.push(answer);
      const error = await source.list(null).catch((failure) => failure);
      expect(error).toBeInstanceOf(SourceError);
      expect(error).toMatchObject(expected);
    }
  });

  it('names the setting that the store rejects', async () => {
    for (const [code, field] of [
      ['InvalidAccessKeyId', 'cloud_access_id'],
      ['SignatureDoesNotMatch', 'cloud_access_secret'],
      ['NoSuchBucket', 'bucket'],
    ] as const) {
      answers.push(refusal(403, code));
      await expect(checkSource('SOURCE_9_BUCKET', buildComponent({}), buildDeps())).rejects.toThrow(
        `check ${field}`,
      );
    }
  });

  it('treats a missing object, but not a missing bucket, as deleted', async () => {
    answers.push(refusal(404, 'NoSuchBucket'));
    await expect(open().read('a')).rejects.toThrow(SourceError);
  });

  it('is not blocked by a hostile pattern', async () => {
    answers.push(listing([`${'a'.repeat(40)}!`, 'aaa']));
    const { entries } = await open({ regex_pattern: '^(a+)+$' }).list(null);
    expect(entries.map(({ id }) => id)).toEqual(['aaa']);
  });

  it('lists keys with invalid encoding unchanged', async () => {
    answers.push(listing(['%FF', 'ok'], '<EncodingType>url</EncodingType>'));
    const { entries } = await open().list(null);
    expect(entries.map(({ id }) => id)).toEqual(['%FF', 'ok']);
  });

  it('cannot reach private addresses unless the installation allows it', async () => {
    const source = open(
      { bucket_endpoint_url: 'http://169.254.169.254' },
      { ALLOW_PRIVATE_ADDRESSES: false, SILENCE_SECONDS: 1 },
    );
    await expect(source.list(null)).rejects.toThrow('not public');
    expect(sent).toEqual([]);
  });

  it('is rejected for unknown types and free-form components', () => {
    expect(() => openSource('SOURCE_0_NONE', {}, buildDeps())).toThrow('SOURCE_0_NONE is not supported');
    expect(() => openSource('SOURCE_9_BUCKET', { foo: 1 }, buildDeps())).toThrow(SourceError);
  });
});
