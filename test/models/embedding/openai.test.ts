import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { tenantDeps } from '#src/models/deps.ts';
import { openai } from '#src/models/embedding/openai.ts';
import type { Settings } from '#src/settings.ts';
import { embedderSuite, FakeProvider, jsonWith } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';

const KEY = 'key-of-the-provider';
const KNOWN = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user']);
const refused = (status: number, message: string) => Response.json({ error: { message } }, { status });

/** `POST /v1/embeddings` as the hosted API takes it, and nothing else. */
async function serve(request: Request, provider: FakeProvider): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method !== 'POST' || pathname !== '/v1/embeddings') return refused(404, 'no such path');
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return refused(401, 'wrong key');
  const body = (await request.json()) as Record<string, unknown>;
  const unknown = Object.keys(body).find((name) => !KNOWN.has(name));
  const { input, model } = body;
  if (unknown || !Array.isArray(input) || input.length === 0 || input.length > 2048) {
    return refused(400, `not in the protocol: ${unknown ?? 'input'}`);
  }
  if (model !== 'm' || body.encoding_format !== 'float') return refused(400, 'no such model or format');
  return provider.answer(input as string[], undefined, (vectors) =>
    // The order is the index's business, not the list's.
    jsonWith({ data: vectors.map((embedding, index) => ({ index, embedding })).reverse() }),
  );
}

const component = { api_base: 'http://models.test/v1/', api_key: KEY, model_name: 'm' };

embedderSuite({
  name: 'OpenAI-compatible',
  capabilities: openai.capabilities,
  open: ({ batch = 10, workers = 1, timeout = 5 } = {}) =>
    openai.open({ ...component, embed_batch_size: batch, num_workers: workers, timeout }, modelDeps()),
  serve,
  secret: KEY,
});

describe('the settings of the provider', () => {
  const sent: { url: URL; headers: Headers; body: Record<string, unknown> }[] = [];
  let answer: (request: Request) => Promise<Response>;
  beforeEach(() => {
    sent.length = 0;
    answer = (request) => serve(request, new FakeProvider());
    vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input, { ...init, signal: null });
      const { headers } = request;
      sent.push({ url: new URL(request.url), headers, body: await request.clone().json() });
      return answer(request);
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it('reach the request', async () => {
    const given = {
      ...component,
      api_version: '2024-02-01',
      default_headers: { 'x-team': 'a' },
      additional_kwargs: { user: 'u', model: 'other' },
      dimensions: 4,
    };
    const embedder = openai.open(given, modelDeps());
    expect(embedder.dimension).toBe(4);
    await embedder.embed(['a'], 'query');
    expect(sent[0]!.url.href).toBe('http://models.test/v1/embeddings?api-version=2024-02-01');
    expect(sent[0]!.headers.get('x-team')).toBe('a');
    expect(sent[0]!.body).toMatchObject({ user: 'u', model: 'm', dimensions: 4 });
  });

  it('that are left out are the usual ones, which clients are not told', async () => {
    const embedder = openai.open({ api_key: 'k' }, modelDeps());
    expect(embedder.modelId).toBe('default@PROVIDER_G_EMBEDDING');
    answer = async () => refused(401, 'wrong key');
    const message = await embedder.embed(['a'], 'query').then(String, (error: Error) => error.message);
    expect(sent[0]!.url.href).toBe('https://api.openai.com/v1/embeddings');
    expect(sent[0]!.body.model).toBe('text-embedding-ada-002');
    expect(message).toContain('The embedding endpoint PROVIDER_G_EMBEDDING');
    expect(message).not.toMatch(/openai|ada/i);
  });

  it('say how long the vectors have to be', async () => {
    const embedder = openai.open({ ...component, dimensions: 5 }, modelDeps());
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow('length 4, not 5');
    expect(openai.open({ model_name: 'text-embedding-3-large' }, modelDeps()).dimension).toBe(3072);
  });

  it('are checked before they are used', () => {
    const opening = () => openai.open({ timeout: -1 }, modelDeps());
    expect(opening).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it('are tried, and the one that is wrong is named', async () => {
    const check = (given: object) => openai.check({ ...component, ...given }, modelDeps());
    expect(await check({})).toBe('m@http://models.test/v1 gives vectors of 4 dimensions.');
    await expect(check({ api_key: 'other' })).rejects.toThrow(/^api_key: .*answered 401/);
    await expect(check({ api_base: 'http://models.test/v2' })).rejects.toThrow(
      /^model_name or api_base: .*404/,
    );
    await expect(check({ api_base: 'ftp://models.test' })).rejects.toThrow(/^api_base: /);
    await expect(check({ api_base: 'nowhere' })).rejects.toThrow(/^api_base: /);
    answer = () => Promise.reject(new TypeError('connection refused'));
    await expect(check({ max_retries: 0 })).rejects.toThrow(/^api_base: .*could not be reached/);
  });

  it('of a tenant do not reach a private address', async () => {
    const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
    const deps = tenantDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
    const embedder = openai.open({ ...component, api_base: 'http://127.0.0.1:9/v1' }, deps);
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ code: 'bad_request' });
    expect(sent).toEqual([]);
  });
});
