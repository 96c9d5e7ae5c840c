import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { entriesOf, type SourceEntry, SourceError } from '#src/ports/source.ts';
import { checkSource, openSource } from '#src/sources/registry.ts';
import { memoryTokens } from '#src/upstream/tokens.ts';

// What all sources promise is in test/sources/s3-suite.test.ts; here is what only a bucket has.

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

const depsOf = (limits = SETTINGS) => ({ tokens: memoryTokens(), log: createLogger(), limits });
const componentOf = (component: Record<string, unknown>) => ({
  bucket: 'b',
  cloud_access_id: 'id',
  cloud_access_secret: 'secret',
  ...component,
});
const open = (component: Record<string, unknown> = {}, limits = SETTINGS) =>
  openSource('SOURCE_9_BUCKET', componentOf(component), depsOf(limits)).source;

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

describe('the S3 source', () => {
  it.each([
    ['"e1"', 'e1'],
    ['W/"e1"', 'e1'],
    [null, null],
  ])('names content by its ETag alone: %s', async (etag, version) => {
    answers.push(() => new Response('bytes', { headers: etag === null ? {} : { etag } }));
    expect(await open().read('key')).toMatchObject({ version });
  });

  it('takes patterns as other tools write them', () => {
    for (const regex_pattern of ['report\\-\\d+\\.pdf$', '\\p{Lu}'])
      expect(() => open({ regex_pattern })).not.toThrow();
  });

  it('walks continuation tokens, decodes keys that say so, and leaves folders out', async () => {
    answers.push(
      listing(
        ['a%2Bb+c.txt', 'dir/'],
        '<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t+1/=</NextContinuationToken>',
      ),
      listing(['x+y%2B.txt']),
    );
    const entries: SourceEntry[] = [];
    for await (const entry of entriesOf(open())) entries.push(entry);
    expect(entries.map(({ id }) => id)).toEqual(['a+b c.txt', 'x+y%2B.txt']);
    expect(entries[0]).toMatchObject({ name: 'a+b c.txt', size: 3, version: 'e', modifiedAt: null });
    expect(new URL(sent[1]!.url).searchParams.get('continuation-token')).toBe('t+1/=');
  });

  it('asks the region again that the bucket names, and stays with it', async () => {
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

  it('addresses a custom endpoint by path and signs nothing without credentials', async () => {
    answers.push(listing([]));
    await checkSource(
      'SOURCE_9_BUCKET',
      componentOf({ bucket_endpoint_url: 'http://store.test/base/', cloud_access_id: null }),
      depsOf(),
    );
    expect(sent[0]!.url).toMatch(/^http:\/\/store\.test\/base\/b\/\?/);
    expect(sent[0]!.headers.get('authorization')).toBeNull();
  });

  it('tells what is gone from what is refused, and what may pass from what will not', async () => {
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

  it('names the setting that the store refuses', async () => {
    for (const [code, field] of [
      ['InvalidAccessKeyId', 'cloud_access_id'],
      ['SignatureDoesNotMatch', 'cloud_access_secret'],
      ['NoSuchBucket', 'bucket'],
    ] as const) {
      answers.push(refusal(403, code));
      await expect(checkSource('SOURCE_9_BUCKET', componentOf({}), depsOf())).rejects.toThrow(`see ${field}`);
    }
  });

  it('takes an object for gone, but not because its bucket is', async () => {
    answers.push(refusal(404, 'NoSuchBucket'));
    await expect(open().read('a')).rejects.toThrow(SourceError);
  });

  it('is not held by a pattern made for that', async () => {
    answers.push(listing([`${'a'.repeat(40)}!`, 'aaa']));
    const { entries } = await open({ regex_pattern: '^(a+)+$' }).list(null);
    expect(entries.map(({ id }) => id)).toEqual(['aaa']);
  });

  it('lists keys that are no text as they are', async () => {
    answers.push(listing(['%FF', 'ok'], '<EncodingType>url</EncodingType>'));
    const { entries } = await open().list(null);
    expect(entries.map(({ id }) => id)).toEqual(['%FF', 'ok']);
  });

  it('does not reach private addresses unless the installation allows it', async () => {
    const source = open(
      { bucket_endpoint_url: 'http://169.254.169.254' },
      { ALLOW_PRIVATE_ADDRESSES: false, SILENCE_SECONDS: 1 },
    );
    await expect(source.list(null)).rejects.toThrow('not public');
    expect(sent).toEqual([]);
  });

  it('is refused by the registry for kinds that are none and for free-form components', () => {
    expect(() => openSource('SOURCE_0_NONE', {}, depsOf())).toThrow('no reader for SOURCE_0_NONE');
    expect(() => openSource('SOURCE_9_BUCKET', { foo: 1 }, depsOf())).toThrow(SourceError);
  });
});
