import { generateText, type LanguageModel, streamText } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '#src/lib/errors.ts';
import type { LanguageKind } from '#src/models/language/registry.ts';
import { toDomainError } from '#src/models/structured-output/errors.ts';
import { generateObject, type ObjectRequest } from '#src/models/structured-output/generate-object.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { SILENCE_SECONDS, skipWaits } from '#test/support/skipped-waits.ts';
import { type Asked, type Ending, USAGE } from '#test/vendors/chat/protocols/protocol.ts';
import { Liar } from '#test/vendors/liar.ts';
import { type Lie, REDIRECT_LIES, WIRE_LIES } from '#test/vendors/lies.ts';

export interface LanguageModelFixture {
  name: string;
  kind: LanguageKind;
  /** Opens the model. `seconds` is the timeout for a silent endpoint. */
  open(seconds?: number): LanguageModel;
  model: FakeChat;
  /** Answers requests in the protocol of the endpoint in place of `fetch`, and rejects unknown requests. */
  serve(request: Request): Promise<Response>;
  /** Secret in the credentials of `open`. Errors must not contain it. */
  secret: string;
  /** Mistakes in requests or in the test server. */
  problems?: string[];
  /** False if the model treats every schema as a hint. */
  enforcesSchemas?: boolean;
  /** False if the protocol cannot express a refusal. */
  refuses?: boolean;
  /** False if errors do not include a wait time. */
  tellsWaits?: boolean;
  /** Returns the protocol error for a status, or `undefined` if there is none. Defaults to HTTP errors. */
  buildTrouble?: (status: number, headers: Record<string, string>) => (() => Promise<never>) | undefined;
}

/** Fake model. The `serve` function of the fixture translates its answers to the protocol. */
export class FakeChat {
  readonly asked: Asked[] = [];
  text = '';
  ending: Ending = 'whole';
  /** Pieces of a streamed answer. Defaults to the text in one piece. */
  pieces: string[] | undefined;
  /** Errors that are returned before the model answers, one per call. */
  troubles: (() => Response | Promise<never>)[] = [];

  /** Returns the next planned error, or the answer that `write` creates. */
  async answer(asked: Asked, write: () => Promise<Response>): Promise<Response> {
    this.asked.push(asked);
    const told = await this.troubles.shift()?.();
    return told ?? write();
  }
}

const SCHEMA = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
  additionalProperties: false,
};

const LIES: readonly Lie[] = [...WIRE_LIES, ...REDIRECT_LIES];

/** Resets the fake model before each test of a describe block, and replaces `fetch` with the endpoint of the fixture. */
function useEndpoint({ model, serve, problems = [] }: LanguageModelFixture): void {
  beforeEach(() => {
    skipWaits();
    model.asked.splice(0);
    Object.assign(model, {
      ...{ text: '{"colour":"green"}', ending: 'whole', troubles: [], pieces: undefined },
    });
    vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
      const { signal } = init ?? {};
      const answer = serve(new Request(input, { ...init, signal: null }));
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return Promise.race([answer, aborted]);
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    expect(problems.splice(0)).toEqual([]);
  });
}

/** Asks a model for an object. */
const requestObject = (open: LanguageModelFixture['open'], extra: Partial<ObjectRequest> = {}) =>
  generateObject({
    ...{ model: open(), system: 'Read.', prompt: 'The ferry is green.', schema: SCHEMA },
    signal: new AbortController().signal,
    ...extra,
  });

/** Asks the model of the fixture for an object and returns the error, which must not contain the secret. */
async function catchObjectFailure(
  { open, secret }: LanguageModelFixture,
  extra?: Partial<ObjectRequest>,
): Promise<DomainError> {
  const error = await requestObject(open, extra).then(
    () => expect.unreachable('it resolved'),
    (error: DomainError) => error,
  );
  expect(error).toBeInstanceOf(DomainError);
  expect(error.message).not.toContain(secret);
  return error;
}

/** Tests that every language model must pass with `generateObject`. All failures must be DomainErrors. */
export function languageModelSuite(fixture: LanguageModelFixture): void {
  const {
    name,
    open,
    model,
    secret,
    enforcesSchemas = true,
    refuses = true,
    tellsWaits = true,
    buildTrouble,
  } = fixture;
  describe(`${name} language model`, () => {
    useEndpoint(fixture);

    /** Filters the statuses that the protocol can express. */
    const having = (...codes: number[]) => codes.filter((code) => !buildTrouble || buildTrouble(code, {}));
    const ask = (extra?: Partial<ObjectRequest>) => requestObject(open, extra);
    const catchFailure = (extra?: Partial<ObjectRequest>) => catchObjectFailure(fixture, extra);
    const status = (code: number, headers: Record<string, string> = {}) =>
      buildTrouble?.(code, headers) ??
      (() => new Response(`{"error":{"message":"not with ${secret}"}}`, { status: code, headers }));

    it('answers with JSON for the schema that it receives', async () => {
      expect(await ask()).toEqual({ colour: 'green' });
      const [{ system, prompt, schema, strict } = {}] = model.asked;
      expect(prompt).toBe('The ferry is green.');
      expect(system).toContain(JSON.stringify(SCHEMA));
      expect(schema).toEqual(SCHEMA);
      expect(strict).toBe(enforcesSchemas);
    });

    it('sends a non-strict schema if the schema cannot be enforced', async () => {
      await ask({ isStrict: false });
      expect(model.asked[0]?.strict).toBe(false);
    });

    it('answers in plain text and has a name', async () => {
      model.text = 'Green.';
      const { text } = await generateText({ model: open(), prompt: 'What colour?', maxRetries: 0 });
      expect(text).toBe('Green.');
      expect(getModelName(open())).not.toBe('');
    });

    it.runIf(refuses).each(['', 'I cannot help with that.'])(
      'fails permanently for a refusal: %j',
      async (text) => {
        Object.assign(model, { text, ending: 'refused' });
        expect(await catchFailure()).toMatchObject({ code: 'invalid', retryable: false });
        expect(model.asked).toHaveLength(1);
      },
    );

    it.each<[string, string, Ending, string]>([
      ['is cut off', '{"colour":"gr', 'cut', 'cut off'],
      ['is no JSON', 'The ferry is green.', 'whole', 'not the requested JSON'],
      ['is half of an object', '{"colour":', 'whole', 'not the requested JSON'],
      ['is empty', '', 'whole', ''],
    ])('is retryable if its answer %s', async (_, text, ending, message) => {
      Object.assign(model, { text, ending });
      const error = await catchFailure();
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
      expect(error.message).toContain(message);
    });

    it.each([
      ['is no JSON', '<html>busy</html>'],
      ['has another shape', '{"choices":"none"}'],
      ['is empty', ''],
    ])('is retryable if the response body %s', async (_, text) => {
      model.troubles = [() => new Response(text, { headers: { 'content-type': 'application/json' } })];
      expect(await catchFailure()).toMatchObject({ code: 'upstream', retryable: true });
    });

    it.each(having(400, 401, 403, 404, 422))('is not retried after %d', async (code) => {
      model.troubles = [status(code)];
      expect(await catchFailure()).toMatchObject({ code: 'upstream', retryable: false, status: code });
      expect(model.asked).toHaveLength(1);
    });

    it('is retried once after a temporary failure', async () => {
      model.troubles = [status(503)];
      expect(await ask()).toEqual({ colour: 'green' });
      expect(model.asked).toHaveLength(2);
    });

    it.runIf(tellsWaits).each([
      ['seconds', () => '60'],
      ['a date', () => new Date(Date.now() + 60_000).toUTCString()],
    ])('passes on Retry-After given in %s', async (_, after) => {
      model.troubles = [status(429, { 'retry-after': after() })];
      const error = (await catchFailure()) as DomainError & { retryAfter: number };
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
      expect(error.retryAfter).toBeGreaterThan(10);
      expect(error.retryAfter).toBeLessThanOrEqual(60);
      expect(model.asked).toHaveLength(1);
    });

    it('times out if it hangs', async () => {
      const hang = () => new Promise<never>(() => {});
      model.troubles = [hang, hang, hang];
      expect(await catchFailure({ timeoutMs: 30 })).toMatchObject({ code: 'upstream', retryable: true });
      model.troubles = [hang, hang, hang];
      expect(await catchFailure({ model: open(0.03) })).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('rejects with the abort reason of the caller', async () => {
      const caller = new AbortController();
      const reason = new Error('cancelled');
      model.troubles = [
        () => {
          queueMicrotask(() => caller.abort(reason));
          return new Promise<never>(() => {});
        },
      ];
      await expect(ask({ signal: caller.signal })).rejects.toBe(reason);
      await expect(ask({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(model.asked).toHaveLength(1);
    });

    it('is retryable if unreachable', async () => {
      const refused = () => Promise.reject(new TypeError('fetch failed'));
      model.troubles = [refused, refused, refused];
      expect(await catchFailure()).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('streams an answer in pieces and reports token usage', async () => {
      model.pieces = ['The ferry ', 'is ', 'green.'];
      const { textStream, usage } = streamText({ model: open(), prompt: 'What colour?', maxRetries: 0 });
      const pieces: string[] = [];
      for await (const piece of textStream) pieces.push(piece);
      expect(pieces.join('')).toBe('The ferry is green.');
      expect(pieces.length).toBeGreaterThan(1);
      expect(await usage).toMatchObject({ inputTokens: USAGE.input, outputTokens: USAGE.output });
    });

    const streamFailure = async (extra: { abortSignal?: AbortSignal } = {}, seconds?: number) => {
      const failures: unknown[] = [];
      const { textStream } = streamText({
        model: open(seconds),
        prompt: 'What colour?',
        maxRetries: 0,
        onError: ({ error }) => void failures.push(error),
        ...extra,
      });
      for await (const _ of textStream);
      return failures.map(toDomainError);
    };

    it.each(having(401, 500))('reports why a stream fails after %d', async (code) => {
      model.troubles = [status(code), status(code), status(code)];
      const [error] = await streamFailure();
      expect(error).toMatchObject({ code: 'upstream', status: code, retryable: code === 500 });
      expect(error!.message).not.toContain(secret);
    });

    it('times out a stream without data', async () => {
      const hang = () => new Promise<never>(() => {});
      model.troubles = [hang, hang, hang];
      expect(await streamFailure({}, 0.03)).toMatchObject([{ code: 'upstream', retryable: true }]);
    });

    it('stops a stream when the caller aborts', async () => {
      const caller = new AbortController();
      model.troubles = [
        () => {
          queueMicrotask(() => caller.abort(new Error('cancelled')));
          return new Promise<never>(() => {});
        },
      ];
      await streamFailure({ abortSignal: caller.signal });
      expect(model.asked).toHaveLength(1);
    });
  });

  if (!buildTrouble) languageModelLies(fixture, LIES);
}

/**
 * Tests that a language model reports an error for each of these lies and reveals no secret. The model must speak HTTP.
 */
export function languageModelLies(fixture: LanguageModelFixture, lies: readonly Lie[]): void {
  const { name, open, model, secret } = fixture;
  describe(`${name} language model`, () => {
    useEndpoint(fixture);

    const turn = async (lie: Lie): Promise<Liar> => {
      // Some endpoints need an access token. It is fetched first, so that the lie answers the request to the model.
      await requestObject(open);
      const liar = new Liar(lie);
      const honest = globalThis.fetch;
      vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
        liar.answer(new Request(input, init), (request) => honest(request)),
      );
      return liar;
    };
    const secondsFor = (lie: Lie) => (lie === 'slow bytes without end' ? SILENCE_SECONDS / 3 : 20);

    it.each(lies)('returns no object if the endpoint answers with %s', async (lie) => {
      const liar = await turn(lie);
      const error = await catchObjectFailure(fixture, { model: open(secondsFor(lie)) });
      expect(error.code).toBe('upstream');
      expect(liar.sentElsewhere.join(' ')).not.toContain(secret);
    });

    it.each(lies)('ends a stream with an error if the endpoint answers with %s', async (lie) => {
      const liar = await turn(lie);
      model.pieces = ['The ferry ', 'is ', 'green.'];
      const failures: unknown[] = [];
      const note = (error: unknown) => void failures.push(error);
      const result = streamText({
        ...{ model: open(secondsFor(lie)), prompt: 'What colour?', maxRetries: 0 },
        onError: ({ error }) => note(error),
      });
      let text = '';
      const reading = async () => {
        for await (const piece of result.textStream) text += piece;
      };
      await reading().catch(note);
      const [error] = failures.map(toDomainError);
      if (error) expect(error).toMatchObject({ code: 'upstream' });
      // Partial text may be kept, but must not look complete.
      else expect([text !== '', (await result.finishReason) === 'stop']).toEqual([true, false]);
      expect(`${error?.message} ${liar.sentElsewhere}`).not.toContain(secret);
    });
  });
}
