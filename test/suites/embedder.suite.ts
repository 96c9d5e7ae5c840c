import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Upstream } from '#src/errors.ts';
import type { EmbedderCapabilities } from '#src/models/embedding/definition.ts';
import type { Embedder } from '#src/models/embedding/embedder.ts';
import { runs } from '#test/support/seed.ts';

export interface EmbedderOptions {
  batch?: number;
  workers?: number;
  timeout?: number;
}

export interface EmbedderFixture {
  name: string;
  capabilities: EmbedderCapabilities;
  open(options?: EmbedderOptions): Embedder;
  /** The provider's protocol: stands in for `fetch`, refuses what it does not know. Absent: no network is used. */
  serve?: (request: Request, provider: FakeProvider) => Promise<Response>;
  /** Stands in the credentials of `open`; no error may repeat it. */
  secret?: string;
}

/** JSON has no numbers that are none; this text is written as one that is too large. */
const TOO_LARGE = 'too large a number';
export const jsonWith = (body: unknown) =>
  new Response(JSON.stringify(body).replaceAll(`"${TOO_LARGE}"`, '1e999'), {
    headers: { 'content-type': 'application/json' },
  });

type Trouble = (vectors: number[][]) => unknown[] | Response | Promise<never>;

/** The model behind a provider's protocol, which is written by `serve` of the fixture. */
export class FakeProvider {
  readonly calls: { texts: string[]; purpose?: string | undefined }[] = [];
  /** Consumed one a call, before the model answers as it should. */
  readonly troubles: Trouble[] = [];
  mostAtOnce = 0;
  #running = 0;

  async answer(
    texts: string[],
    purpose: string | undefined,
    write: (vectors: unknown[]) => Response,
  ): Promise<Response> {
    this.calls.push({ texts, purpose });
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    try {
      // Odd calls take longer, so that answers overtake each other.
      await new Promise((resolve) => setTimeout(resolve, (this.calls.length % 2) * 2));
      const vectors = texts.map(vectorOf);
      const told = await (this.troubles.shift() ?? ((right) => right))(vectors);
      return told instanceof Response ? told : write(told);
    } finally {
      this.#running -= 1;
    }
  }
}

/** Four numbers that follow from the text and are of no particular length. */
function vectorOf(text: string): number[] {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + char.codePointAt(0)!) % 1_000_003;
  return [1 + (hash % 97), -(hash % 89), hash % 83, 1 + text.length];
}

const lengthOf = (vector: Float32Array) => Math.hypot(...vector);

/** What every embedder promises. */
export function embedderSuite({ name, capabilities, open, serve, secret }: EmbedderFixture): void {
  describe(`${name} embedder`, () => {
    let provider: FakeProvider;
    beforeEach(() => {
      provider = new FakeProvider();
      vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
        if (!serve) throw new Error(`${name} called somebody`);
        const answer = serve(new Request(input, { ...init, signal: null }), provider);
        const { signal } = init ?? {};
        if (!signal) return answer;
        const aborted = new Promise<never>((_, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
        return Promise.race([answer, aborted]);
      });
    });
    afterEach(() => vi.unstubAllGlobals());

    const failureOf = (work: Promise<unknown>) =>
      work.then(
        () => expect.unreachable('it resolved'),
        (error: Upstream) => error,
      );

    it('gives one unit vector a text, in order, of its dimension', async () => {
      const texts = ['the ferry is green', 'tides', 'the ferry is green', 'a lighthouse', 'moles', 'x'];
      const embedder = open({ batch: 2, workers: 3 });
      const vectors = await embedder.embed(texts, 'document');
      expect(vectors).toHaveLength(texts.length);
      for (const [index, text] of texts.entries()) {
        const [alone] = await embedder.embed([text], 'document');
        expect([...vectors[index]!], text).toEqual([...alone!]);
        expect(lengthOf(alone!)).toBeCloseTo(1, 5);
        expect(alone).toHaveLength(embedder.dimension);
      }
      expect(vectors[0]).not.toEqual(vectors[1]);
      expect(embedder.modelId).not.toBe('');
    });

    it('names the same model with the same vectors when it is opened again', async () => {
      const [first, second] = [open(), open()];
      expect(second.modelId).toBe(first.modelId);
      expect(await second.embed(['tides'], 'query')).toEqual(await first.embed(['tides'], 'query'));
    });

    it('asks nobody about nothing', async () => {
      expect(await open().embed([], 'document')).toEqual([]);
      expect(provider.calls).toEqual([]);
    });

    it('takes any text, as it is', async () => {
      const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 5 });
      const embedder = open();
      await fc.assert(
        fc.asyncProperty(texts, async (given) => {
          provider.calls.length = 0;
          const vectors = await embedder.embed(given, 'document');
          expect(vectors.map((vector) => Math.round(lengthOf(vector) * 1e4))).toEqual(given.map(() => 1e4));
          if (serve) expect(provider.calls.flatMap((call) => call.texts)).toEqual(given);
        }),
        { numRuns: runs(20) },
      );
      const long = 'A very long text. '.repeat(20_000);
      const [vector] = await embedder.embed([long], 'document');
      expect(lengthOf(vector!)).toBeCloseTo(1, 5);
    });

    it('ends with its caller, before anybody is asked', async () => {
      const reason = new Error('given up');
      const embedding = open().embed(['a'], 'query', AbortSignal.abort(reason));
      expect(await failureOf(embedding)).toBe(reason);
      expect(provider.calls).toEqual([]);
    });

    if (!serve) return;

    it('sends no more texts in a call than it may, and no empty call', async () => {
      const texts = Array.from({ length: 7 }, (_, index) => `text ${index}`);
      await open({ batch: 3 }).embed(texts, 'document');
      expect(provider.calls.map((call) => call.texts.length).sort()).toEqual([1, 3, 3]);
      provider.calls.length = 0;
      const many = Array.from({ length: capabilities.maxBatch + 1 }, (_, index) => `text ${index}`);
      await open({ batch: 2048 }).embed(many, 'document');
      expect(Math.max(...provider.calls.map((call) => call.texts.length))).toBe(capabilities.maxBatch);
    });

    it('has only so many calls under way', async () => {
      const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
      await open({ batch: 1, workers: 1 }).embed(texts, 'document');
      expect(provider.mostAtOnce).toBe(1);
      await open({ batch: 1, workers: 2 }).embed(texts, 'document');
      expect(provider.mostAtOnce).toBe(2);
      await open({ batch: 1, workers: 1000 }).embed(texts, 'document');
      expect(provider.mostAtOnce).toBeLessThan(6);
    });

    it('tells the model what a text is for, where that knows the difference', async () => {
      const embedder = open();
      await embedder.embed(['a'], 'document');
      await embedder.embed(['a'], 'query');
      const purposes = provider.calls.map((call) => call.purpose);
      expect(purposes).toEqual(capabilities.tellsPurpose ? ['document', 'query'] : [undefined, undefined]);
    });

    it.each<[string, Trouble]>([
      ['none', () => []],
      ['too few', (vectors) => vectors.slice(1)],
      ['too many', (vectors) => [...vectors, vectors[0]]],
      ['one of another length', ([first, ...others]) => [first!.slice(1), ...others]],
      ['one that is empty', ([, ...others]) => [[], ...others]],
      ['null for one', ([, ...others]) => [null, ...others]],
      ['a text for one', ([, ...others]) => ['vector', ...others]],
      ['a text in one', ([, ...others]) => [['1', 2, 3, 4], ...others]],
      ['no number in one', ([, ...others]) => [[Number.NaN, 1, 1, 1], ...others]],
      ['an infinite number in one', ([, ...others]) => [[TOO_LARGE, 1, 1, 1], ...others]],
      ['one without a direction', ([, ...others]) => [[0, 0, 0, 0], ...others]],
    ])('refuses an answer with %s, for good', async (_, trouble) => {
      const embedder = open({ batch: 2 });
      await embedder.embed(['first'], 'document');
      provider.troubles.push((vectors) => vectors, trouble);
      const error = await failureOf(embedder.embed(['a', 'b', 'c', 'd'], 'document'));
      expect(error).toBeInstanceOf(Upstream);
      expect(error).toMatchObject({ retryable: false, message: expect.stringMatching(/vector|shape/) });
      expect(provider.calls).toHaveLength(3);
    });

    it.each([
      ['seconds', () => '60'],
      ['a date', () => new Date(Date.now() + 60_000).toUTCString()],
    ])('leaves it to its caller to wait as long as a throttled call says in %s', async (_, after) => {
      const throttled = new Response('{}', { status: 429, headers: { 'retry-after': after() } });
      provider.troubles.push(() => throttled);
      const error = await failureOf(open().embed(['a'], 'query'));
      expect(error).toMatchObject({ code: 'upstream', retryable: true, status: 429 });
      expect(error.retryAfter).toBeGreaterThan(10);
      expect(error.retryAfter).toBeLessThanOrEqual(60);
      expect(provider.calls).toHaveLength(1);
    });

    it('asks once more after a brief fault', async () => {
      provider.troubles.push(() => new Response('down', { status: 503 }));
      expect(await open().embed(['a'], 'query')).toHaveLength(1);
      expect(provider.calls).toHaveLength(2);
    });

    it.each([400, 401, 403, 404, 413, 422])(
      'does not repeat what is refused with %d, nor its key',
      async (status) => {
        const said = JSON.stringify({ error: { message: `not with ${secret}` } });
        provider.troubles.push(() => new Response(said, { status }));
        const error = await failureOf(open().embed(['a'], 'query'));
        expect(error).toMatchObject({ code: 'upstream', retryable: false, status });
        if (secret) expect(error.message).not.toContain(secret);
        expect(provider.calls).toHaveLength(1);
      },
    );

    it.each([
      ['no JSON', '<html>', true],
      ['JSON of another shape', '{"vectors":1}', false],
      ['nothing at all', '', true],
    ])('fails when the answer is %s', async (_, text, retryable) => {
      provider.troubles.push(() => new Response(text));
      expect(await failureOf(open().embed(['a'], 'query'))).toMatchObject({ code: 'upstream', retryable });
    });

    it('gives up a call that hangs', async () => {
      const hanging = () => new Promise<never>(() => {});
      provider.troubles.push(hanging, hanging, hanging);
      const error = await failureOf(open({ timeout: 0.05 }).embed(['a'], 'query'));
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('ends with its caller while calls are under way, and starts no others', async () => {
      const caller = new AbortController();
      const reason = new Error('given up');
      provider.troubles.push(() => {
        queueMicrotask(() => caller.abort(reason));
        return new Promise<never>(() => {});
      });
      const embedding = open({ batch: 1 }).embed(['a', 'b', 'c'], 'document', caller.signal);
      expect(await failureOf(embedding)).toBe(reason);
      expect(provider.calls).toHaveLength(1);
    });
  });
}
