import type { LanguageModel } from 'ai';
import { expect, it } from 'vitest';
import { generateObject } from '#src/models/language/generate-object.ts';
import { modelOf } from '#test/support/fake-model.ts';

/** A model that never answers, and hears when nobody waits for it any more. */
function hangingModel(): { model: LanguageModel; calls: () => number } {
  let calls = 0;
  const doGenerate = ({ abortSignal }: { abortSignal?: AbortSignal }) => {
    calls += 1;
    return new Promise((_, reject) => {
      if (abortSignal?.aborted) reject(abortSignal.reason);
      abortSignal?.addEventListener('abort', () => reject(abortSignal.reason));
    });
  };
  return { model: modelOf(doGenerate), calls: () => calls };
}

const question = (model: LanguageModel, signal: AbortSignal) => ({
  model,
  system: 'Answer.',
  prompt: 'What?',
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  signal,
});

it('gives an endpoint that hangs up, as a failure that can be tried again', async () => {
  const { model, calls } = hangingModel();
  const { signal } = new AbortController();
  await expect(generateObject({ ...question(model, signal), timeoutMs: 20 })).rejects.toMatchObject({
    message: expect.stringContaining('did not answer within 0.02 s'),
    retryable: true,
  });
  expect(calls()).toBe(1);
});

it('ends with its job, whose reason it leaves alone', async () => {
  const { model } = hangingModel();
  const reason = new Error('cancelled');
  const answer = generateObject(question(model, AbortSignal.abort(reason)));
  await expect(answer).rejects.toSatisfy((error: Error) => !error.message.startsWith('engine_error'));
});
