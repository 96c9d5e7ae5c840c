import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText } from 'ai';
import { messageOf, Upstream } from '#src/errors.ts';
import { type Ocr, Unreadable } from './ocr.ts';
import { transcriptionPrompt, unwrapTranscript } from './prompt.ts';

export interface VisionEndpoint {
  baseURL: string;
  model: string;
  apiKey?: string | undefined;
  fetch?: typeof fetch;
}

const MAX_OUTPUT_TOKENS = 8_192;
const PATIENCE_MS = 120_000;

/** Any chat endpoint of the OpenAI protocol whose model takes pictures. It tells no positions. */
export function visionOcr({ baseURL, model, apiKey, fetch }: VisionEndpoint): Ocr {
  const provider = createOpenAICompatible({
    name: 'ocr',
    baseURL,
    ...(apiKey && { apiKey }),
    ...(fetch && { fetch }),
  });
  return {
    id: `vision/${model}`,
    async recognise(image, languages) {
      try {
        const { text, finishReason } = await generateText({
          model: provider(model),
          temperature: 0,
          maxOutputTokens: MAX_OUTPUT_TOKENS,
          abortSignal: AbortSignal.timeout(PATIENCE_MS),
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: transcriptionPrompt(languages) },
                { type: 'file', data: image.bytes, mediaType: image.mimeType },
              ],
            },
          ],
        });
        if (finishReason === 'content-filter') throw new Unreadable('the model refuses this picture');
        return { format: 'markdown', text: unwrapTranscript(text), words: [] };
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

/** 400 and 413 are about this picture; everything else is about the endpoint. */
function translated(error: unknown): Error {
  if (error instanceof Unreadable) return error;
  const cause = lastOf(error);
  const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
  if (status === 400 || status === 413 || status === 422) {
    return new Unreadable(`the OCR endpoint refuses the picture: ${messageOf(cause)}`);
  }
  const retryable = status === undefined || status === 408 || status === 429 || status >= 500;
  return new Upstream(`The OCR endpoint failed: ${messageOf(cause)}`, { retryable, cause: error });
}

/** The SDK tries again on its own and then reports all errors in one. */
function lastOf(error: unknown): unknown {
  return error instanceof Error && 'lastError' in error ? error.lastError : error;
}
