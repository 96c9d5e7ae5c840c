import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries, type SourceEntry, SourceError } from '#src/ports/source.ts';
import { azureBlobStorage } from '#src/sources/azure-blob-storage/azure-blob-storage.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { Vendor } from '#test/suites/source-vendor.ts';
import { blobError, blobListingXml } from '#test/support/azure-blob-protocol.ts';
import { blobApplicationFixture, blobFixture } from './fixtures/azure-blob-storage.ts';

describe('Azure Blob Storage source with an account key', () => sourceSuite(blobFixture));
describe('Azure Blob Storage source with application credentials', () => sourceSuite(blobApplicationFixture));

// Tests with the Azurite emulator are in test/process/blob-containers.slow.test.ts.

describe('Azure Blob Storage container', () => {
  afterEach(() => vi.unstubAllGlobals());

  const deps = () => ({
    tokens: createMemoryTokens(),
    log: createLogger(),
    limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 1 },
  });
  const KEYED = {
    account_url: 'https://ann.blob.core.windows.net',
    container_name: 'papers',
    account_key: btoa('key'),
  };
  const open = (more: object = {}) => openWithDriver(azureBlobStorage, { ...KEYED, ...more }, deps()).source;
  const check = (more: object) => checkWithDriver(azureBlobStorage, { ...KEYED, ...more }, deps());

  /** Answers every request and returns the list of requests. */
  function answering(answer: (request: Request) => Response): Request[] {
    const sent: Request[] = [];
    vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      sent.push(request);
      return answer(request);
    });
    return sent;
  }
  const page = (blobs: string, after = '<NextMarker/>') =>
    new Response(
      `\uFEFF<?xml version="1.0"?><EnumerationResults><Blobs>${blobs}</Blobs>${after}</EnumerationResults>\n`,
    );
  const blob = (name: string, properties = '', more = '') =>
    `<Blob><Name>${name}</Name><Properties><Etag>0x1</Etag>${properties}</Properties>${more}</Blob>`;
  const entries = async (more: object = {}) => {
    const all: SourceEntry[] = [];
    for await (const entry of listEntries(open(more))) all.push(entry);
    return all;
  };

  it.each([
    ['https://ann.blob.core.windows.net/', 'https://ann.blob.core.windows.net/papers', 'ann'],
    ['https://ann.blob.core.windows.net/papers', 'https://ann.blob.core.windows.net/papers', 'ann'],
    ['https://ann.z6.blob.storage.azure.net', 'https://ann.z6.blob.storage.azure.net/papers', 'ann'],
    [
      'https://ann-secondary.blob.core.windows.net',
      'https://ann-secondary.blob.core.windows.net/papers',
      'ann',
    ],
    ['http://127.0.0.1:10000/papers', 'http://127.0.0.1:10000/papers/papers', 'papers'],
  ])('has the URL of account_url and container_name: %s', async (account_url, address, account) => {
    const sent = answering(() => page(''));
    await open({ account_url, prefix: 'a b/' }).list(null);
    const own = 'restype=container&comp=list&include=metadata&maxresults=5000&prefix=a%20b%2F';
    expect(sent[0]!.url).toBe(`${address}?${own}`);
    expect(sent[0]!.headers.get('authorization')).toMatch(new RegExp(`^SharedKey ${account}:`));
  });

  it('is accessed with the shared access signature alone if the URL contains one', async () => {
    const signature = 'sv=2021-12-02&sr=c&sig=ab%2Bcd%2F%3D';
    const sent = answering(() => page(''));
    const account_url = `${KEYED.account_url}/papers?restype=container&comp=list&${signature}`;
    await open({ account_key: null, account_url }).list(null);
    await open({ account_key: `?${signature}` }).read('a.txt');
    for (const { url, headers } of sent) {
      expect(url).toContain(signature);
      expect(url.match(/comp=/g) ?? []).toHaveLength(url.includes('a.txt') ? 0 : 1);
      expect(headers.get('authorization')).toBeNull();
    }
  });

  it('does not reveal the signature in errors', async () => {
    const vendor = new Vendor();
    vendor.connect(blobFixture.classifyRequest, async () => page(''));
    vendor.next('list', { kind: 'status', status: 400 }, { kind: 'status', status: 500 });
    const account_url = `${KEYED.account_url}?sp=rl&sig=planted%2Bsignature`;
    const told: string[] = [];
    for (const _ of [1, 2]) {
      const error: unknown = await open({ account_key: null, account_url })
        .list(null)
        .catch((failure) => failure);
      told.push((error as Error).message, JSON.stringify(error));
    }
    expect(told.join()).toContain('400');
    expect(told.join()).not.toMatch(/planted/);
  });

  it.each([
    [{ account_url: 'ann.blob.core.windows.net' }, 'account_url'],
    [{ account_url: 'https://a:b@ann.blob.core.windows.net' }, 'account_url'],
    [{ account_url: 'https://ann.blob.core.windows.net?sv=1' }, 'account_url'],
    [{ account_url: 'https://files.example' }, 'account_name'],
    [{ account_key: 'no Base64!' }, 'account_key'],
    [{ container_name: '..' }, 'container_name'],
    [{ account_key: null, client_id: 'c', tenant_id: 't' }, 'Missing: client_secret'],
    [{ client_id: 'c', client_secret: 's', tenant_id: 't' }, 'account_key and account_name, and client_id'],
    [{ account_url: `${KEYED.account_url}?sig=x` }, 'account_url, and account_key'],
    [
      {
        account_url: 'http://a.example',
        account_key: null,
        client_id: 'c',
        client_secret: 's',
        tenant_id: 't',
      },
      'https',
    ],
    [{ prefix: 'a/', blob: 'b.txt' }, 'prefix'],
  ])('rejects invalid settings: %j', async (more, named) => {
    const sent = answering(() => page(''));
    const failure = { retryable: false, message: expect.stringContaining(named) };
    await expect(check(more)).rejects.toMatchObject(failure);
    await expect(open(more).list(null)).rejects.toMatchObject(failure);
    expect(sent).toEqual([]);
  });

  it('lists blobs without folders, with their metadata', async () => {
    answering(() =>
      page(
        [
          blob(
            'a/b.txt',
            '<Content-Type>text/plain</Content-Type>',
            '<Metadata><team>legal</team></Metadata>',
          ),
          blob('a', '', '<Metadata><Hdi_isfolder>True</Hdi_isfolder></Metadata>'),
          blob('c', '<ResourceType>directory</ResourceType>'),
          blob('d/'),
        ].join('\n'),
      ),
    );
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ id: 'a/b.txt', name: 'b.txt', version: '0x1', size: null, webUrl: null });
    const metadata = { container: 'papers', content_type: 'text/plain', blob_metadata: { team: 'legal' } };
    expect(entry!.metadata).toEqual(metadata);
  });

  it('supports names that XML cannot represent', async () => {
    const name = 'a \u0001\uFFFF%41.txt';
    const listed = { name, etag: '0x1', size: 1, modifiedAt: '2026-03-04T05:06:07.000Z' };
    const sent = answering(
      ({ url }) =>
        new Response(url.includes('comp=list') ? blobListingXml([listed], new URL(url).searchParams, 9) : ''),
    );
    const [entry] = await entries();
    expect(entry!.id).toBe(name);
    await open().read(entry!.id);
    expect(sent[1]!.url).toMatch(/\/a%20%01%EF%BF%BF%2541\.txt$/);
    answering(() => page('<Blob><Name Encoded="true">%FF</Name></Blob>'));
    expect((await entries()).map(({ id }) => id)).toEqual(['%FF']);
  });

  it.each([
    ['broken off', '<EnumerationResults><Blobs><Blob><Name>a</Name></Blob></Blobs>'],
    ['broken off in its marker', '<EnumerationResults><Blobs></Blobs><NextMarker>2!4'],
    ['without a marker', '<EnumerationResults><Blobs></Blobs></EnumerationResults>'],
    ['too deep', `<EnumerationResults>${'<a>'.repeat(10_000)}</EnumerationResults>`],
    ['of another kind', '<Error><Code>x</Code></Error>'],
  ])('is not treated as empty if the listing is %s', async (_, xml) => {
    answering(() => new Response(xml));
    await expect(open().list(null)).rejects.toThrow(SourceError);
  });

  it('can be listed with a full page of 5000 blobs', async () => {
    const pairs = Array.from({ length: 40 }, (_, index) => `<k${index}>value</k${index}>`).join('');
    const many = Array.from({ length: 5000 }, (_, index) =>
      blob(`${index}.txt`, '', `<Metadata>${pairs}</Metadata>`),
    );
    answering(() => page(many.join('')));
    expect(await entries()).toHaveLength(5000);
  });

  it.each([
    [404, 'BlobNotFound', undefined],
    [404, 'ContainerNotFound', { retryable: false, message: expect.stringContaining('container_name') }],
    [404, '', { retryable: false }],
    [409, 'BlobArchived', { retryable: false, message: expect.stringContaining('archive tier') }],
    [409, 'BlobBeingRehydrated', { retryable: false, message: expect.stringContaining('archive tier') }],
    [403, 'AuthorizationFailure', { retryable: false, message: expect.stringContaining('account_key') }],
    [503, 'ServerBusy', { retryable: true, retryAfter: 9 }],
    [500, 'OperationTimedOut', { retryable: true }],
  ])('distinguishes missing, refused and temporary errors: %i %s', async (status, code, failure) => {
    answering(() => blobError({ status, code }, status === 503 ? { 'retry-after': '9' } : {}));
    const outcome: unknown = await open()
      .read('a.txt')
      .catch((error: unknown) => error);
    if (!failure) expect(outcome).toBeUndefined();
    else expect(outcome).toMatchObject(failure);
  });

  it('rejects names with path segments that URLs normalize', async () => {
    const sent = answering(() => new Response('another text'));
    for (const name of ['..', 'a/../b', './b', 'a\\..\\b']) {
      await expect(open().read(name)).rejects.toMatchObject({ retryable: false });
    }
    expect(sent).toEqual([]);
  });

  it('reports a wrong clock if the signature is rejected', async () => {
    const refusedAt = (minutes: number) => {
      const date = new Date(Date.now() - minutes * 60_000).toUTCString();
      answering(() => blobError({ status: 403, code: 'AuthenticationFailed' }, { date }));
      return open()
        .list(null)
        .catch((error: unknown) => error);
    };
    expect(await refusedAt(20)).toMatchObject({
      retryable: true,
      message: expect.stringContaining('20 minutes'),
    });
    expect(await refusedAt(-20)).toMatchObject({ retryable: true });
    expect(await refusedAt(1)).toMatchObject({
      retryable: false,
      message: expect.stringContaining('account_key'),
    });
  });

  it('can be limited to one blob, which may be missing or a folder', async () => {
    const headers = { etag: '"0x2"', 'content-length': '7', 'x-ms-meta-team': 'legal' };
    const sent = answering(() => new Response(null, { headers }));
    const [entry] = await entries({ blob: 'a/b.txt' });
    expect(sent.map(({ method }) => method)).toEqual(['HEAD']);
    expect(entry).toMatchObject({ id: 'a/b.txt', version: '0x2', size: 7 });
    expect(entry!.metadata).toMatchObject({ blob_metadata: { team: 'legal' } });
    answering(() => new Response(null, { status: 404, headers: { 'x-ms-error-code': 'BlobNotFound' } }));
    expect(await entries({ blob: 'a/b.txt' })).toEqual([]);
    await expect(check({ blob: 'a/b.txt' })).rejects.toThrow('does not exist');
    answering(() => new Response(null, { status: 404, headers: { 'x-ms-error-code': 'ContainerNotFound' } }));
    await expect(entries({ blob: 'a/b.txt' })).rejects.toThrow('container_name');
    answering(() => new Response(null, { headers: { 'x-ms-meta-hdi_isfolder': 'true' } }));
    await expect(check({ blob: 'a' })).rejects.toThrow('prefix');
  });
});
