import type { LanguageModel } from 'ai';

/** Request to a model, as the AI SDK passes it to the driver. */
export interface ModelRequest {
  prompt: { role: string; content: { text: string }[] }[];
  temperature?: number;
  abortSignal?: AbortSignal;
}

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

export function modelOf(doGenerate: (request: ModelRequest) => Promise<unknown>) {
  const model = { specificationVersion: 'v3', provider: 'p', modelId: 'm', supportedUrls: {}, doGenerate };
  return model as unknown as LanguageModel;
}

/** Returns a model that replies with the same text to each request and records the requests. */
export function modelReplying(text: string, requests: ModelRequest[] = []): LanguageModel {
  return modelOf(async (request) => {
    requests.push(request);
    return {
      content: [{ type: 'text', text }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    };
  });
}
