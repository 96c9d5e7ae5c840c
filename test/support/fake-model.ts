import type { LanguageModel } from 'ai';

/** Returns a model that gives one structured answer per question and repeats the last one. */
export function modelSaying(...answers: object[]): LanguageModel {
  let turn = 0;
  const tokens = { total: 1 };
  const doGenerate = async () => ({
    content: [{ type: 'text', text: JSON.stringify(answers[Math.min(turn++, answers.length - 1)]) }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: tokens, outputTokens: tokens },
    warnings: [],
  });
  return modelOf(doGenerate);
}

export function modelOf(doGenerate: (options: { abortSignal?: AbortSignal }) => Promise<unknown>) {
  const model = { specificationVersion: 'v3', provider: 'p', modelId: 'm', supportedUrls: {}, doGenerate };
  return model as unknown as LanguageModel;
}
