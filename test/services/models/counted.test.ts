import { generateText, type LanguageModel, streamText, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { type CallUsage, createCountingMiddleware } from '#src/services/models/counting-middleware.ts';

const PARTS = ['The ferry ', 'is ', 'green.'];
const TEXT = PARTS.join('');

type Usage = { inputTokens: { total?: number }; outputTokens: { total?: number } };
const TOLD: Usage = { inputTokens: { total: 5 }, outputTokens: { total: 3 } };

/** Creates a model that returns the text and this usage, and records the counted calls. */
function counting(usage: Usage, { error, hangs = false }: { error?: Error; hangs?: boolean } = {}) {
  const calls: CallUsage[] = [];
  const finishReason = { unified: 'stop', raw: 'stop' };
  const inner = {
    ...{ specificationVersion: 'v4', provider: 'p', modelId: 'm', supportedUrls: {} },
    async doGenerate() {
      if (error) throw error;
      return { content: [{ type: 'text', text: TEXT }], finishReason, usage, warnings: [] };
    },
    async doStream() {
      if (error) throw error;
      const parts: object[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        ...PARTS.map((delta) => ({ type: 'text-delta', id: '1', delta })),
        ...(hangs
          ? []
          : [
              { type: 'text-end', id: '1' },
              { type: 'finish', finishReason, usage },
            ]),
      ];
      const stream = new ReadableStream({
        pull(controller) {
          const part = parts.shift();
          if (part) controller.enqueue(part);
          else if (hangs) return new Promise(() => {});
          else controller.close();
          return undefined;
        },
      });
      return { stream };
    },
  } as unknown as Parameters<typeof wrapLanguageModel>[0]['model'];
  let isRefused = false;
  const middleware = createCountingMiddleware(
    () => {
      if (isRefused) throw new Error('no tokens left');
    },
    (call) => calls.push(call),
  );
  const model: LanguageModel = wrapLanguageModel({ model: inner, middleware });
  const refuse = () => {
    isRefused = true;
  };
  return { model, calls, refuse };
}

const ask = (model: LanguageModel) => generateText({ model, prompt: 'What colour?', maxRetries: 0 });

async function read(model: LanguageModel): Promise<string> {
  let text = '';
  for await (const piece of streamText({ model, prompt: 'What colour?', maxRetries: 0, onError() {} })
    .textStream) {
    text += piece;
  }
  return text;
}

describe('a call of a language model', () => {
  it('is counted once with the usage that the model reports', async () => {
    for (const use of [ask, read]) {
      const { model, calls } = counting(TOLD);
      await use(model);
      expect(calls).toMatchObject([
        { inputTokens: 5, outputTokens: 3, isEstimated: false, hasFailed: false },
      ]);
      expect(calls[0]!.milliseconds).toBeGreaterThanOrEqual(0);
    }
  });

  it.each<[string, Usage]>([
    ['nothing', { inputTokens: {}, outputTokens: {} }],
    ['that it took none', { inputTokens: { total: 0 }, outputTokens: { total: 0 } }],
  ])('is estimated from its texts if the model reports %s', async (_, usage) => {
    for (const use of [ask, read]) {
      const { model, calls } = counting(usage);
      await use(model);
      expect(calls).toMatchObject([{ isEstimated: true, outputTokens: Math.ceil(TEXT.length / 4) }]);
      expect(calls[0]!.inputTokens).toBeGreaterThan(2);
    }
  });

  it('is counted without tokens if it fails', async () => {
    for (const use of [ask, read]) {
      const { model, calls } = counting(TOLD, { error: new Error('out of order') });
      await use(model).catch(() => {});
      expect(calls).toMatchObject([{ inputTokens: 0, outputTokens: 0, isEstimated: false, hasFailed: true }]);
    }
  });

  it('is counted by the text received so far if the reader aborts', async () => {
    const { model, calls } = counting(TOLD, { hangs: true });
    const stop = new AbortController();
    const { textStream } = streamText({
      model,
      prompt: 'What colour?',
      abortSignal: stop.signal,
      onError() {},
    });
    let read = '';
    for await (const piece of textStream) {
      read += piece;
      if (read === TEXT) stop.abort();
    }
    await expect.poll(() => calls).toHaveLength(1);
    expect(calls).toMatchObject([
      { isEstimated: true, hasFailed: true, outputTokens: Math.ceil(TEXT.length / 4) },
    ]);
  });

  it('is not made or counted if the budget check fails', async () => {
    const { model, calls, refuse } = counting(TOLD);
    refuse();
    await expect(ask(model)).rejects.toThrow('no tokens left');
    expect(calls).toEqual([]);
  });
});
