import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Upstream } from '#src/lib/errors.ts';
import type { EmbeddingType } from '#src/models/embedding/registry.ts';
import type { EmbedderCapabilities } from '#src/models/embedding/shared/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { runs } from '#test/support/seed.ts';
import { LEAST_KEPT_LIMIT_SECONDS, SILENCE_SECONDS, skipWaits } from '#test/support/skipped-waits.ts';
import { VendorSession } from '#test/vendors/client.ts';
import type { EmbeddingLimits, EmbeddingNote } from '#test/vendors/embedding.ts';
import { Liar } from '#test/vendors/liar.ts';
import { type Lie, REDIRECT_LIES, WIRE_LIES } from '#test/vendors/lies.ts';
import type { Fault, Mount } from '#test/vendors/protocol.ts';

export interface EmbedderOptions {
  batch?: number;
  workers?: number;
  timeout?: number;
}

export interface EmbedderFixture {
  name: string;
  kind: EmbeddingType;
  capabilities: EmbedderCapabilities;
  open(options?: EmbedderOptions): Embedder;
  /** Vendors that the embedder calls. Omit for embedders without network access. */
  vendors?: Mount[];
  /** Operation that embeds, if other operations are called too. */
  operation?: string;
  /** Secret in the credentials of `open`. Errors must not contain it. */
  secret?: string;
}

/**
 * Number of cases of random texts for every embedder. They are few, because test/models/embedding/shared/batched.test.ts
 * sends many random texts through the code that all embedders share. Here they only test how a request encodes texts.
 */
const TEXT_CASES = 3;

const computeLength = (vector: Float32Array) => Math.hypot(...vector);

/** Lies about content, which each driver reads with code of its own. */
const CONTENT_LIES: readonly Lie[] = ['null for every number', 'infinite numbers'];
/** Damaged answers and redirects, which all drivers handle with the same code. */
export const DAMAGED_ANSWERS: readonly Lie[] = [...WIRE_LIES, ...REDIRECT_LIES];

/**
 * Replaces `fetch` for the tests of a describe block. Each test has its own session with the vendors of the fixture. A
 * test fails if the test server made a mistake, or if a vendor refused a request.
 */
function useFixtureVendors({ name, vendors }: EmbedderFixture): { session: VendorSession } {
  const current = {} as { session: VendorSession };
  beforeEach(async () => {
    skipWaits();
    if (vendors) current.session = await VendorSession.open(vendors);
    const refuse = () => Promise.reject(new Error(`${name} called somebody`));
    vi.stubGlobal('fetch', vendors ? current.session.fetch : refuse);
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    if (!vendors) return;
    const { mistakes, seen } = await current.session.end();
    expect(mistakes).toEqual([]);
    expect(seen.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  });
  return current;
}

const catchFailure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it resolved'),
    (error: Upstream) => error,
  );

/** Tests that every embedder must pass. */
export function embedderSuite(fixture: EmbedderFixture): void {
  const { name, capabilities, open, vendors, operation, secret } = fixture;
  const { maxBatch } = capabilities;
  const two = Math.min(2, maxBatch);

  describe(`${name} embedder`, () => {
    const current = useFixtureVendors(fixture);
    const fail = (...faults: Fault[]) =>
      current.session.fail(...faults.map((fault) => ({ ...fault, ...(operation && { on: operation }) })));
    /** Returns the embedding requests. */
    const calls = async () => {
      if (!vendors) return [];
      const { seen } = await current.session.state();
      return seen.filter((each) => !operation || each.operation === operation);
    };
    const notes = async () => (await calls()).map(({ note }) => note as EmbeddingNote);

    it('returns one unit vector per text, in order and with its dimension', async () => {
      const texts = ['the ferry is green', 'tides', 'the ferry is green', 'a lighthouse', 'moles', 'x'];
      const embedder = open({ batch: 2, workers: 3 });
      const vectors = await embedder.embed(texts, 'document');
      expect(vectors).toHaveLength(texts.length);
      for (const [index, text] of texts.entries()) {
        const [alone] = await embedder.embed([text], 'document');
        expect([...vectors[index]!], text).toEqual([...alone!]);
        expect(computeLength(alone!)).toBeCloseTo(1, 5);
        expect(alone).toHaveLength(embedder.dimension);
      }
      expect(vectors[0]).not.toEqual(vectors[1]);
      expect(embedder.modelId).not.toBe('');
    });

    it('has the same model id and vectors when opened again', async () => {
      const [first, second] = [open(), open()];
      expect(second.modelId).toBe(first.modelId);
      expect(await second.embed(['tides'], 'query')).toEqual(await first.embed(['tides'], 'query'));
    });

    it('makes no call without texts', async () => {
      expect(await open().embed([], 'document')).toEqual([]);
      expect(await calls()).toEqual([]);
    });

    it('accepts any text', async () => {
      const texts = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), {
        minLength: 1,
        maxLength: 5,
      });
      const embedder = open();
      let asked = 0;
      await fc.assert(
        fc.asyncProperty(texts, async (given) => {
          const vectors = await embedder.embed(given, 'document');
          expect(vectors.map((vector) => Math.round(computeLength(vector) * 1e4))).toEqual(
            given.map(() => 1e4),
          );
          const all = await notes();
          const sent = all.slice(asked).flatMap((note) => note.texts);
          asked = all.length;
          if (vendors) expect(sent).toEqual(given);
        }),
        { numRuns: runs(TEXT_CASES) },
      );
      const long = 'A very long text. '.repeat(20_000);
      const [vector] = await embedder.embed([long], 'document');
      expect(computeLength(vector!)).toBeCloseTo(1, 5);
    });

    it('rejects with the abort reason before any call', async () => {
      const reason = new Error('given up');
      const embedding = open().embed(['a'], 'query', AbortSignal.abort(reason));
      expect(await catchFailure(embedding)).toBe(reason);
      expect(await calls()).toEqual([]);
    });

    if (!vendors) return;

    it('respects the batch size and makes no empty call', async () => {
      const texts = Array.from({ length: 7 }, (_, index) => `text ${index}`);
      await open({ batch: 3 }).embed(texts, 'document');
      const sizes = async () => (await notes()).map((note) => note.texts.length);
      expect((await sizes()).sort()).toEqual(maxBatch < 3 ? texts.map(() => 1) : [1, 3, 3]);
      const many = Array.from({ length: maxBatch + 1 }, (_, index) => `text ${index}`);
      await open({ batch: 2048 }).embed(many, 'document');
      expect(Math.max(...(await sizes()))).toBe(maxBatch);
    });

    it('respects the maximum number of concurrent calls', async () => {
      const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
      const mostAtOnce = async () => (await current.session.state()).mostAtOnce;
      await open({ batch: 1, workers: 1 }).embed(texts, 'document');
      expect(await mostAtOnce()).toBe(1);
      await open({ batch: 1, workers: 2 }).embed(texts, 'document');
      expect(await mostAtOnce()).toBe(2);
      await open({ batch: 1, workers: 1000 }).embed(texts, 'document');
      expect(await mostAtOnce()).toBeLessThan(6);
    });

    /** Reduces the limits of the vendor below its documented limits. */
    const limit = async (limits: EmbeddingLimits) => {
      await current.session.end();
      current.session = await VendorSession.open(
        vendors.map((mount) => ({ ...mount, settings: { ...mount.settings, ...limits } })),
      );
      vi.stubGlobal('fetch', current.session.fetch);
    };

    it.each([413, 400, 422])('splits a batch that is refused as too large with %d', async (refusal) => {
      await limit({ mostTexts: 2, refusal });
      const texts = Array.from({ length: 11 }, (_, index) => `text ${index}`);
      const embedder = open({ batch: 8 });
      const vectors = await embedder.embed(texts, 'document');
      const sizes = (await notes()).map((note) => note.texts.length);
      const batch = Math.min(8, maxBatch);
      // After a rejection, later batches are halved in advance.
      const expected = batch < 8 ? texts.map(() => 1) : [8, 4, 2, 2, 2, 2, 2, 1];
      expect(sizes).toEqual(expected);
      await limit({});
      for (const [index, text] of texts.entries()) {
        const [alone] = await embedder.embed([text], 'document');
        expect([...vectors[index]!], text).toEqual([...alone!]);
      }
    });

    it('fails for a single text that is too large and reports its size', async () => {
      await limit({ longestText: 100 });
      const texts = ['a', 'b', 'c'.repeat(101), 'd'];
      const error = await catchFailure(open().embed(texts, 'document'));
      expect(error).toMatchObject({
        code: 'upstream',
        retryable: false,
        status: 413,
        message: expect.stringMatching(/^A text of 101 characters is too large .*answered 413/),
      });
      if (secret) expect(error.message).not.toContain(secret);
      expect(await open().embed(['a', 'b', 'd'], 'document')).toHaveLength(3);
    });

    it('sends the purpose of a text if the model supports it', async () => {
      const embedder = open();
      await embedder.embed(['a'], 'document');
      await embedder.embed(['a'], 'query');
      const purposes = (await notes()).map((note) => note.purpose);
      expect(purposes).toEqual(
        capabilities.distinguishesPurpose ? ['document', 'query'] : [undefined, undefined],
      );
    });

    it.each([
      'none',
      'too few',
      'too many',
      'one of another length',
      'one that is empty',
      'null for one',
      'a text for one',
      'a text in one',
      'no number in one',
      'an infinite number in one',
      'one without a direction',
    ])('rejects an answer with %s without retry', async (trouble) => {
      const embedder = open({ batch: two });
      await embedder.embed(['first'], 'document');
      await fail({ kind: 'slow', milliseconds: 0 }, { kind: 'own', name: trouble });
      const texts = Array.from({ length: 2 * two }, (_, index) => `text ${index}`);
      const error = await catchFailure(embedder.embed(texts, 'document'));
      expect(error).toBeInstanceOf(Upstream);
      expect(error).toMatchObject({ retryable: false, message: expect.stringMatching(/vector|format/) });
      expect(await calls()).toHaveLength(3);
    });

    it.each([
      ['seconds', () => '60'],
      ['a date', () => new Date(Date.now() + 60_000).toUTCString()],
    ])('passes on Retry-After given in %s', async (_, after) => {
      await fail({ kind: 'status', status: 429, headers: { 'retry-after': after() } });
      const error = await catchFailure(open().embed(['a'], 'query'));
      expect(error).toMatchObject({ code: 'upstream', retryable: true, status: 429 });
      expect(error.retryAfter).toBeGreaterThan(10);
      expect(error.retryAfter).toBeLessThanOrEqual(60);
      expect(await calls()).toHaveLength(1);
    });

    it('waits for a short Retry-After', async () => {
      await fail({ kind: 'status', status: 429, headers: { 'retry-after': '1' } });
      const setTimer = vi.spyOn(globalThis, 'setTimeout');
      onTestFinished(() => setTimer.mockRestore());
      expect(await open().embed(['a'], 'query')).toHaveLength(1);
      expect(setTimer.mock.calls.map(([, milliseconds]) => milliseconds)).toContain(1_000);
    });

    it.each<[string, Fault]>([
      ['a brief fault', { kind: 'status', status: 503 }],
      ['a lost connection', { kind: 'cut' }],
      ['the page of a proxy', { kind: 'body', body: '<html>' }],
    ])('retries once after %s, only for the texts of that call', async (_, fault) => {
      await fail({ kind: 'slow', milliseconds: 0 }, fault);
      const texts = Array.from({ length: 3 * two }, (_, index) => `text ${index}`);
      expect(await open({ batch: two }).embed(texts, 'document')).toHaveLength(texts.length);
      expect(await calls()).toHaveLength(4);
      const sent = (await notes()).flatMap((note) => note?.texts ?? []);
      const third = texts.slice(two, 2 * two);
      const expected = fault.kind === 'cut' ? [...texts.slice(0, two), ...third, ...texts.slice(two)] : texts;
      expect(sent).toEqual(expected);
    });

    it.each([400, 401, 403, 404, 413, 422])(
      'neither retries after %d nor reveals the key',
      async (status) => {
        await fail({ kind: 'status', status });
        const error = await catchFailure(open().embed(['a'], 'query'));
        expect(error).toMatchObject({ code: 'upstream', retryable: false, status });
        if (secret) expect(error.message).not.toContain(secret);
        expect(await calls()).toHaveLength(1);
      },
    );

    it.each([
      ['no JSON', '<html>', true],
      ['JSON of another shape', '{"vectors":1}', false],
      ['nothing at all', '', true],
    ])('fails if the answer is %s', async (_, body, retryable) => {
      const answer = { kind: 'body', body } as const;
      await fail(answer, answer, answer);
      expect(await catchFailure(open().embed(['a'], 'query'))).toMatchObject({ code: 'upstream', retryable });
    });

    it('times out if a call hangs', async () => {
      await fail({ kind: 'silent' }, { kind: 'silent body' }, { kind: 'silent' });
      const error = await catchFailure(open({ timeout: SILENCE_SECONDS }).embed(['a'], 'query'));
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('rejects when aborted during calls and starts no others', async () => {
      const caller = new AbortController();
      const reason = new Error('given up');
      await fail({ kind: 'silent' });
      const embedding = open({ batch: 1 }).embed(['a', 'b', 'c'], 'document', caller.signal);
      while ((await calls()).length === 0);
      caller.abort(reason);
      expect(await catchFailure(embedding)).toBe(reason);
      expect(await calls()).toHaveLength(1);
    });
  });

  if (vendors) embedderLies(fixture, CONTENT_LIES);
}

/** Tests that an embedder fails for each of these lies, reveals no secret and works again after the lie. */
export function embedderLies(fixture: EmbedderFixture, lies: readonly Lie[]): void {
  const { name, open, secret } = fixture;

  describe(`${name} embedder`, () => {
    const current = useFixtureVendors(fixture);

    it.each(lies)('fails if the provider answers with %s', async (lie) => {
      // Some vendors need an access token. It is fetched first, so that the lie answers the embedding request.
      await open().embed(['a'], 'document');
      const liar = new Liar(lie);
      const isSlow = lie === 'slow bytes without end';
      const embedder = open({ timeout: isSlow ? SILENCE_SECONDS : LEAST_KEPT_LIMIT_SECONDS });
      vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
        liar.answer(new Request(input, init), (request) => current.session.fetch(request)),
      );
      const error = await catchFailure(embedder.embed(['a'], 'document'));
      expect(error).toBeInstanceOf(Upstream);
      if (secret) expect(`${error.message} ${liar.sentElsewhere}`).not.toContain(secret);
      vi.stubGlobal('fetch', current.session.fetch);
      // A wrong answer does not set the dimension.
      const [vector] = await (isSlow ? open() : embedder).embed(['a'], 'document');
      expect(computeLength(vector!)).toBeCloseTo(1, 5);
    });
  });
}
