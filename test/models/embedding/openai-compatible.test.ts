import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Settings } from '#src/env.ts';
import { Upstream } from '#src/errors.ts';
import { openaiCompatibleEmbedder } from '#src/models/embedding/openai-compatible.ts';

const SETTINGS = { ALLOW_PRIVATE_ADDRESSES: true } as Settings;

interface Sent {
  url: string;
  headers: Headers;
  body: { model: string; input: string[]; dimensions?: number; user?: string };
}

const sent: Sent[] = [];
/** Consumed one per request; afterwards every request gets its vectors. */
const answers: Response[] = [];

const vectors = (input: string[], length = 2) =>
  Response.json({
    data: input
      .map((text, index) => ({ index, embedding: [text.length, ...Array(length - 1).fill(0)] }))
      .reverse(),
  });

beforeEach(() => {
  sent.length = 0;
  answers.length = 0;
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    const body = JSON.parse(init.body as string);
    sent.push({ url: url.href, headers: new Headers(init.headers), body });
    return answers.shift() ?? vectors(body.input);
  });
});
afterEach(() => vi.unstubAllGlobals());

const open = (component: Record<string, unknown> = {}) =>
  openaiCompatibleEmbedder(
    { api_base: 'http://models.test/v1/', api_key: 'k', model_name: 'm', ...component },
    SETTINGS,
  );

describe('an OpenAI-compatible embedder', () => {
  it('asks in batches and gives unit vectors in the order of the texts', async () => {
    const embedder = open({
      embed_batch_size: 2,
      default_headers: { 'x-team': 'a' },
      additional_kwargs: { user: 'u' },
    });
    const found = await embedder.embed(['a', 'bb', 'ccc'], 'document');
    expect(found.map((vector) => [...vector])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(sent.map(({ body }) => body.input)).toEqual([['a', 'bb'], ['ccc']]);
    expect(sent[0]).toMatchObject({
      url: 'http://models.test/v1/embeddings',
      body: { model: 'm', user: 'u' },
    });
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer k');
    expect(sent[0]?.headers.get('x-team')).toBe('a');
    expect(embedder.dimension).toBe(2);
  });

  it('tries again what may pass, and leaves waiting to its caller', async () => {
    answers.push(new Response('down', { status: 503 }));
    expect(await open().embed(['a'], 'query')).toHaveLength(1);
    expect(sent).toHaveLength(2);
    answers.push(new Response('slow down', { status: 429, headers: { 'retry-after': '7' } }));
    await expect(open().embed(['a'], 'query')).rejects.toMatchObject({ retryable: true, retryAfter: 7 });
    expect(sent).toHaveLength(3);
  });

  it('does not try again what cannot pass', async () => {
    answers.push(new Response('Incorrect API key', { status: 401 }));
    const failure = await open()
      .embed(['a'], 'query')
      .catch((error) => error);
    expect(failure).toBeInstanceOf(Upstream);
    expect(failure.retryable).toBe(false);
    expect(sent).toHaveLength(1);
  });

  it('refuses vectors of another length or number than asked for', async () => {
    answers.push(vectors(['a'], 3));
    await expect(open({ dimensions: 2 }).embed(['a'], 'query')).rejects.toThrow('length 3');
    expect(sent[0]?.body.dimensions).toBe(2);
    answers.push(vectors(['a']));
    await expect(open().embed(['a', 'b'], 'query')).rejects.toThrow('1 vectors');
  });
});
