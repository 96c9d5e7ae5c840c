import type { LanguageModel } from 'ai';
import type { ChatAnswer, ChatJob, Found, FoundChunk } from '#src/chat/job.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';

/** Returns a chunk of a document with the given text. */
export function chunkSaying(text: string, more: Partial<StoredChunk> = {}): StoredChunk {
  return {
    id: 'chunk',
    documentId: 'document',
    position: 0,
    text,
    headings: [],
    startChar: 0,
    endChar: text.length,
    hash: '',
    title: 'bridge.pdf',
    metadata: {},
    ...more,
  };
}

export const foundIn = (chunk: StoredChunk, more: Partial<FoundChunk> = {}): Found => ({
  chunks: [{ chunk, score: 0.5, pipelineId: 'pipeline', fileId: null, ...more }],
  latency: { total: 0.25 },
  notes: {},
});

/** Returns a chat job over one chunk that records its answers. */
export function jobOver(chunk: StoredChunk, more: Partial<ChatJob> = {}): ChatJob & { ended: ChatAnswer[] } {
  const ended: ChatAnswer[] = [];
  return {
    turns: [{ role: 'user', text: 'When was the old bridge built?' }],
    retrieve: async () => foundIn(chunk),
    model: undefined,
    parameters: {},
    excludedKeys: [],
    warnings: [],
    messageId: 'm',
    sessionMetadata: { session_id: 's' },
    requestId: 'r',
    onEnd: async (answer) => void ended.push(answer),
    onError() {},
    ended,
    ...more,
  };
}

type Part = Record<string, unknown>;

/**
 * Returns a model that streams the given SDK stream parts. An `undefined` part stops the stream without
 * closing it.
 */
export function modelStreaming(parts: (Part | undefined)[], prompts: unknown[] = []): LanguageModel {
  const doStream = async ({ prompt, abortSignal }: { prompt: unknown; abortSignal?: AbortSignal }) => {
    prompts.push(prompt);
    const stream = new ReadableStream<Part>({
      start(controller) {
        abortSignal?.addEventListener('abort', () => controller.error(abortSignal.reason));
        for (const part of parts) {
          if (!part) return;
          controller.enqueue(part);
        }
        controller.close();
      },
    });
    return { stream };
  };
  const model = { specificationVersion: 'v3', provider: 'p', modelId: 'm', supportedUrls: {}, doStream };
  return model as unknown as LanguageModel;
}

/** Returns the stream parts of a complete answer. */
export const whole = (text: string, reason = 'stop'): Part[] => [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: text },
  { type: 'text-end', id: '1' },
  {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } },
  },
];
