import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText } from 'ai';
import { z } from 'zod';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { Unreadable } from '#src/ports/ocr.ts';
import { parseRetryAfter } from '#src/upstream/retry-after.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';
import { removeCredentials } from '#src/upstream/scrub.ts';
import { defineOcr } from './definition.ts';
import { buildTranscriptionPrompt, unwrapTranscript } from './prompt.ts';

const MAX_OUTPUT_TOKENS = 8_192;
const TIMEOUT_SECONDS = 120;
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

/** Vision model for OCR behind a chat endpoint with OpenAI's protocol. It returns text without positions. */
export const vision = defineOcr({
  kind: 'vision',
  className: 'VisionOCR',
  settings: z.object({
    base_url: z.url({ protocol: /^https?$/ }),
    model: z.string().min(1),
    api_key: secret().optional(),
    timeout: z
      .number()
      .positive()
      .default(TIMEOUT_SECONDS)
      .describe('Timeout in seconds, including retries.'),
  }),
  capabilities: { returnsPositions: false },
  getId: ({ model }) => `vision/${model}`,
  open({ base_url: baseURL, model, api_key: apiKey, timeout }, deps) {
    const name = `The OCR endpoint ${new URL(baseURL).host}`;
    const rules = {
      name,
      silenceSeconds: timeout,
      totalSeconds: timeout,
      maxBytes: MAX_ANSWER_BYTES,
      retries: 2,
    };
    const { fetch } = deps.http(rules);
    const provider = createOpenAICompatible({ name: 'ocr', baseURL, ...(apiKey && { apiKey }), fetch });
    return {
      async recognise(image, languages) {
        try {
          const { text, finishReason } = await generateText({
            model: provider(model),
            temperature: 0,
            maxRetries: 0,
            maxOutputTokens: MAX_OUTPUT_TOKENS,
            abortSignal: AbortSignal.timeout(timeout * 1000),
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: buildTranscriptionPrompt(languages) },
                  { type: 'file', data: image.bytes, mediaType: image.mimeType },
                ],
              },
            ],
          });
          if (finishReason === 'content-filter') throw new Unreadable('the model refused this picture');
          return { format: 'markdown', text: unwrapTranscript(text), words: [] };
        } catch (error) {
          throw translateError(error, apiKey);
        }
      },
    };
  },
});

/**
 * Converts a failure of the OCR endpoint to a `DomainError`. The statuses 400, 413 and 422 concern the
 * picture, and all others the endpoint. The operator's key is removed from the message, which tenants read.
 */
function translateError(error: unknown, apiKey: string | undefined): Error {
  if (error instanceof Unreadable || error instanceof DomainError) return error;
  const reason = removeCredentials(getErrorMessage(error), apiKey ? [apiKey] : []);
  if (!APICallError.isInstance(error)) {
    return new Upstream(`The OCR endpoint failed: ${reason}`, { retryable: true, cause: error });
  }
  if (error.cause instanceof DomainError) return error.cause;
  const { statusCode: status, responseHeaders } = error;
  if (status === 400 || status === 413 || status === 422) {
    return new Unreadable(`the OCR endpoint rejected the picture: ${reason}`);
  }
  const retryAfter = parseRetryAfter(responseHeaders?.['retry-after'] ?? null);
  return new Upstream(`The OCR endpoint failed: ${reason}`, {
    // An invalid answer with status 200 is retryable, because the next attempt may give a valid one.
    retryable: status === undefined || status < 300 || isRetryableStatus(status),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== undefined && { status }),
    cause: error,
  });
}
