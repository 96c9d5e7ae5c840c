import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { openBucket } from '#src/sources/s3/open-bucket.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

interface Sent {
  method: string;
  query: string;
  type: string | null;
  body: Uint8Array;
}

const sent: Sent[] = [];
let answerTo: (request: Sent) => Response | undefined;

/** Implements a store with multipart uploads. */
function answered(request: Sent): Response {
  const own = answerTo(request);
  if (own) return own;
  if (request.query === 'uploads=')
    return new Response(
      '<InitiateMultipartUploadResult><UploadId>up-1</UploadId></InitiateMultipartUploadResult>',
    );
  if (request.method === 'PUT') return new Response(null, { headers: { etag: `"part<${sent.length}>"` } });
  return new Response('<CompleteMultipartUploadResult/>');
}

beforeEach(() => {
  sent.length = 0;
  answerTo = () => undefined;
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const said = {
      method: request.method,
      query: decodeURIComponent(new URL(request.url).search.slice(1)),
      type: request.headers.get('content-type'),
      body: new Uint8Array(await request.arrayBuffer()),
    };
    sent.push(said);
    return answered(said);
  });
});
afterEach(() => vi.unstubAllGlobals());

const component = { bucket: 'b', cloud_access_id: 'id', cloud_access_secret: 'secret' };
const limits = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 };
const store = () =>
  openBucket(component, { tokens: createMemoryTokens(), log: createLogger(), limits }, undefined);

/** Streams bytes that depend on their position, in chunks whose size does not divide a part. */
async function* content(bytes: number, chunk = 1_000_003): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += chunk) {
    const piece = new Uint8Array(Math.min(chunk, bytes - at));
    for (let index = 0; index < piece.length; index++) piece[index] = ((at + index) * 31) >> 7;
    yield piece;
  }
}

const steps = () => sent.map(({ method, query, body }) => `${method} ${query} ${body.length}`);

it.each([
  ['nothing', 0],
  ['exactly a part', PART],
])('writes %s with one request', async (_, size) => {
  expect(await store().write('k', content(size), 'text/plain')).toBe(size);
  expect(steps()).toEqual([`PUT  ${size}`]);
  expect(sent[0]!.type).toBe('text/plain');
});

it('writes a large object in ordered parts without loss', async () => {
  const size = 2 * PART + 5;
  expect(await store().write('k', content(size), 'text/plain')).toBe(size);
  expect(steps().slice(0, 4)).toEqual([
    'POST uploads= 0',
    `PUT partNumber=1&uploadId=up-1 ${PART}`,
    `PUT partNumber=2&uploadId=up-1 ${PART}`,
    'PUT partNumber=3&uploadId=up-1 5',
  ]);
  expect(sent[0]!.type).toBe('text/plain');
  let at = 0;
  for (const { body } of sent.slice(1, 4)) {
    expect(body.findIndex((byte, index) => byte !== ((((at + index) * 31) >> 7) & 255))).toBe(-1);
    at += body.length;
  }
  expect(sent).toHaveLength(5);
  const { method, query, body } = sent[4]!;
  expect([method, query]).toEqual(['POST', 'uploadId=up-1']);
  const part = (number: number, tag: string) =>
    `<Part><PartNumber>${number}</PartNumber><ETag>"part&lt;${tag}&gt;"</ETag></Part>`;
  expect(new TextDecoder().decode(body)).toBe(
    `<CompleteMultipartUpload>${part(1, '2')}${part(2, '3')}${part(3, '4')}</CompleteMultipartUpload>`,
  );
});

it('collects small chunks without repeated copying', async () => {
  const size = PART + 7;
  let copied = 0;
  const set = Uint8Array.prototype.set;
  vi.spyOn(Uint8Array.prototype, 'set').mockImplementation(function (this: Uint8Array, bytes, at) {
    copied += bytes.length;
    set.call(this, bytes, at);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await store().write('k', content(size, 4_096), 'text/plain');
  expect(sent[1]!.body).toHaveLength(PART);
  // Each byte is copied once when it arrives, and once more on average while the buffer doubles in size.
  expect(copied).toBeGreaterThanOrEqual(size);
  expect(copied).toBeLessThan(3 * size);
});

it.each<[string, (request: Sent) => Response | undefined, RegExp]>([
  [
    'a part is refused',
    ({ query }) =>
      query.startsWith('partNumber=2')
        ? new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 })
        : undefined,
    /AccessDenied/,
  ],
  [
    'the end fails with the status of success',
    ({ method, query }) =>
      method === 'POST' && query === 'uploadId=up-1'
        ? new Response('<Error><Code>InternalError</Code></Error>')
        : undefined,
    /InternalError/,
  ],
])('aborts the multipart upload if %s', async (_, answer, message) => {
  answerTo = answer;
  await expect(store().write('k', content(PART + 1), 'text/plain')).rejects.toThrow(message);
  expect(steps().at(-1)).toBe('DELETE uploadId=up-1 0');
});

it('aborts the multipart upload if the content fails', async () => {
  async function* broken() {
    yield* content(PART + 1);
    throw new Error('the content broke off');
  }
  await expect(store().write('k', broken(), 'text/plain')).rejects.toThrow('broke off');
  expect(steps().at(-1)).toBe('DELETE uploadId=up-1 0');
});
