import { generateText, type LanguageModel, streamText } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '#src/lib/errors.ts';
import { toDomainError } from '#src/models/structured-output/errors.ts';
import { generateObject, type ObjectRequest } from '#src/models/structured-output/generate-object.ts';
import { nameOf } from '#src/ports/language-model.ts';
import { skipWaits } from '#test/support/skipped-waits.ts';
import { type Asked, type Ending, USAGE } from '#test/vendors/chat/protocols/protocol.ts';
import { Liar } from '#test/vendors/liar.ts';
import { type Lie, REDIRECT_LIES, WIRE_LIES } from '#test/vendors/lies.ts';

export interface LanguageModelFixture {
  name: string;
  /** `seconds`: how long the endpoint may be silent. */
  open(seconds?: number): LanguageModel;
  model: FakeChat;
  /** The endpoint's protocol: stands in for `fetch`, refuses what it does not know. */
  serve(request: Request): Promise<Response>;
  /** Stands in the credentials of `open`; no error may repeat it. */
  secret: string;
  /** What the server of the vendor found wrong with the requests, or with itself. */
  problems?: string[];
  /** False where a schema is never more than a hint to the model. */
  enforcesSchemas?: boolean;
  /** False where the protocol has no ending for an answer that a model will not give. */
  refuses?: boolean;
  /** False where a refusal does not say how long it is to be waited for. */
  tellsWaits?: boolean;
  /** What the protocol calls a status; undefined: it has none for it. HTTP's own where absent. */
  troubleOf?: (status: number, headers: Record<string, string>) => (() => Promise<never>) | undefined;
}

/** The model behind an endpoint's protocol, which is written by `serve` of the fixture. */
export class FakeChat {
  readonly asked: Asked[] = [];
  text = '';
  ending: Ending = 'whole';
  /** What a stream comes in, where it is not the text in one piece. */
  pieces: string[] | undefined;
  /** Consumed one a call, before the model answers. */
  troubles: (() => Response | Promise<never>)[] = [];

  /** The trouble that is due, else what `write` makes of the answer. */
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

/** What every language model promises through `generateObject`: all that goes wrong is a DomainError. */
export function languageModelSuite(fixture: LanguageModelFixture): void {
  const {
    name,
    open,
    model,
    serve,
    secret,
    enforcesSchemas = true,
    refuses = true,
    tellsWaits = true,
    troubleOf,
    problems = [],
  } = fixture;
  describe(`${name} language model`, () => {
    beforeEach(() => {
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

    /** Of these statuses those that the protocol has. */
    const having = (...codes: number[]) => codes.filter((code) => !troubleOf || troubleOf(code, {}));
    const ask = (extra: Partial<ObjectRequest> = {}) =>
      generateObject({
        ...{ model: open(), system: 'Read.', prompt: 'The ferry is green.', schema: SCHEMA },
        signal: new AbortController().signal,
        ...extra,
      });
    const failureOf = async (extra?: Partial<ObjectRequest>) => {
      const error = await ask(extra).then(
        () => expect.unreachable('it resolved'),
        (error: DomainError) => error,
      );
      expect(error).toBeInstanceOf(DomainError);
      expect(error.message).not.toContain(secret);
      return error;
    };
    const status = (code: number, headers: Record<string, string> = {}) =>
      troubleOf?.(code, headers) ??
      (() => new Response(`{"error":{"message":"not with ${secret}"}}`, { status: code, headers }));

    it('answers in the shape of a schema that it is sent', async () => {
      expect(await ask()).toEqual({ colour: 'green' });
      const [{ system, prompt, schema, strict } = {}] = model.asked;
      expect(prompt).toBe('The ferry is green.');
      expect(system).toContain(JSON.stringify(SCHEMA));
      expect(schema).toEqual(SCHEMA);
      expect(strict).toBe(enforcesSchemas);
    });

    it('takes a schema as a hint where it cannot be kept to the letter', async () => {
      await ask({ isStrict: false });
      expect(model.asked[0]?.strict).toBe(false);
    });

    it('answers in plain text, and has a name', async () => {
      model.text = 'Green.';
      const { text } = await generateText({ model: open(), prompt: 'What colour?', maxRetries: 0 });
      expect(text).toBe('Green.');
      expect(nameOf(open())).not.toBe('');
    });

    it.runIf(refuses).each(['', 'I cannot help with that.'])('refuses for good, saying %j', async (text) => {
      Object.assign(model, { text, ending: 'refused' });
      expect(await failureOf()).toMatchObject({ code: 'invalid', retryable: false });
      expect(model.asked).toHaveLength(1);
    });

    it.each<[string, string, Ending, string]>([
      ['is cut off', '{"colour":"gr', 'cut', 'cut off'],
      ['is no JSON', 'The ferry is green.', 'whole', 'not the JSON'],
      ['is half of an object', '{"colour":', 'whole', 'not the JSON'],
      ['is empty', '', 'whole', ''],
    ])('may be asked again when its answer %s', async (_, text, ending, message) => {
      Object.assign(model, { text, ending });
      const error = await failureOf();
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
      expect(error.message).toContain(message);
    });

    it.each([
      ['is no JSON', '<html>busy</html>'],
      ['has another shape', '{"choices":"none"}'],
      ['is empty', ''],
    ])('may be asked again when what comes over the wire %s', async (_, text) => {
      model.troubles = [() => new Response(text, { headers: { 'content-type': 'application/json' } })];
      expect(await failureOf()).toMatchObject({ code: 'upstream', retryable: true });
    });

    it.each(having(400, 401, 403, 404, 422))('is not asked again after %d', async (code) => {
      model.troubles = [status(code)];
      expect(await failureOf()).toMatchObject({ code: 'upstream', retryable: false, status: code });
      expect(model.asked).toHaveLength(1);
    });

    it('is asked once more after a brief fault', async () => {
      model.troubles = [status(503)];
      expect(await ask()).toEqual({ colour: 'green' });
      expect(model.asked).toHaveLength(2);
    });

    it.runIf(tellsWaits).each([
      ['seconds', () => '60'],
      ['a date', () => new Date(Date.now() + 60_000).toUTCString()],
    ])('leaves it to its caller to wait as long as it says in %s', async (_, after) => {
      model.troubles = [status(429, { 'retry-after': after() })];
      const error = (await failureOf()) as DomainError & { retryAfter: number };
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
      expect(error.retryAfter).toBeGreaterThan(10);
      expect(error.retryAfter).toBeLessThanOrEqual(60);
      expect(model.asked).toHaveLength(1);
    });

    it('is given up when it hangs', async () => {
      const hang = () => new Promise<never>(() => {});
      model.troubles = [hang, hang, hang];
      expect(await failureOf({ timeoutMs: 30 })).toMatchObject({ code: 'upstream', retryable: true });
      model.troubles = [hang, hang, hang];
      expect(await failureOf({ model: open(0.03) })).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('is left at once by a caller who gives up, whose reason it leaves alone', async () => {
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

    it('cannot be reached: worth another try', async () => {
      const refused = () => Promise.reject(new TypeError('fetch failed'));
      model.troubles = [refused, refused, refused];
      expect(await failureOf()).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('streams an answer in the pieces that it comes in, and tells what it took', async () => {
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

    it.each(having(401, 500))('says why there is no stream after %d', async (code) => {
      model.troubles = [status(code), status(code), status(code)];
      const [error] = await streamFailure();
      expect(error).toMatchObject({ code: 'upstream', status: code, retryable: code === 500 });
      expect(error!.message).not.toContain(secret);
    });

    it('gives up a stream of which nothing comes', async () => {
      const hang = () => new Promise<never>(() => {});
      model.troubles = [hang, hang, hang];
      expect(await streamFailure({}, 0.03)).toMatchObject([{ code: 'upstream', retryable: true }]);
    });

    const lies: Lie[] = [...WIRE_LIES, ...REDIRECT_LIES];
    const turn = (lie: Lie): Liar => {
      const liar = new Liar(lie);
      const honest = globalThis.fetch;
      if (lie !== 'slow bytes without end') skipWaits();
      vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
        liar.answer(new Request(input, init), (request) => honest(request)),
      );
      return liar;
    };
    const secondsFor = (lie: Lie) => (lie === 'slow bytes without end' ? 0.3 : 20);

    it.runIf(!troubleOf).each(lies)('gives no object when the endpoint answers with %s', async (lie) => {
      const liar = turn(lie);
      const error = await failureOf({ model: open(secondsFor(lie)) });
      expect(error.code).toBe('upstream');
      expect(liar.sentElsewhere.join(' ')).not.toContain(secret);
    });

    it.runIf(!troubleOf).each(lies)(
      'ends a stream with an error when the endpoint answers with %s',
      async (lie) => {
        const liar = turn(lie);
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
        // Half of an answer is worth keeping, as long as it does not pass for the whole.
        else expect([text !== '', (await result.finishReason) === 'stop']).toEqual([true, false]);
        expect(`${error?.message} ${liar.sentElsewhere}`).not.toContain(secret);
      },
    );

    it('leaves a stream at once whose caller gives up', async () => {
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
}
