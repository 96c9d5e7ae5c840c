import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText } from 'ai';
import { z } from 'zod';
import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { Unreadable } from '#src/ports/ocr.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';
import { scrub } from '#src/upstream/scrub.ts';
import { defineOcr } from './definition.ts';
import { transcriptionPrompt, unwrapTranscript } from './prompt.ts';

const MAX_OUTPUT_TOKENS = 8_192;
const TIMEOUT_SECONDS = 120;
const MOST_BYTES = 4 * 2 ** 20;

/** Any chat endpoint of the OpenAI protocol whose model takes pictures. It tells no positions. */
export const vision = defineOcr({
  kind: 'vision',
  className: 'VisionOCR',
  settings: z.object({
    base_url: z.url({ protocol: /^https?$/ }),
    model: z.string().min(1),
    api_key: secret().optional(),
    timeout: z.number().positive().default(TIMEOUT_SECONDS).describe('Seconds, further attempts included.'),
  }),
  capabilities: { tellsPositions: false },
  idOf: ({ model }) => `vision/${model}`,
  open({ base_url: baseURL, model, api_key: apiKey, timeout }, deps) {
    const name = `The OCR endpoint ${new URL(baseURL).host}`;
    const rules = { name, silenceSeconds: timeout, totalSeconds: timeout, maxBytes: MOST_BYTES, retries: 2 };
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
                  { type: 'text', text: transcriptionPrompt(languages) },
                  { type: 'file', data: image.bytes, mediaType: image.mimeType },
                ],
              },
            ],
          });
          if (finishReason === 'content-filter') throw new Unreadable('the model refuses this picture');
          return { format: 'markdown', text: unwrapTranscript(text), words: [] };
        } catch (error) {
          throw translateError(error, apiKey);
        }
      },
    };
  },
});

/**
 * Turns a failure of the endpoint into an error of the domain. 400, 413 and 422 are about this picture; everything else
 * is about the endpoint. Tenants read the message, so the operator's key is removed from it.
 */
function translateError(error: unknown, apiKey: string | undefined): Error {
  if (error instanceof Unreadable || error instanceof DomainError) return error;
  const reason = scrub(messageOf(error), apiKey ? [apiKey] : []);
  if (!APICallError.isInstance(error)) {
    return new Upstream(`The OCR endpoint failed: ${reason}`, { retryable: true, cause: error });
  }
  if (error.cause instanceof DomainError) return error.cause;
  const { statusCode: status, responseHeaders } = error;
  if (status === 400 || status === 413 || status === 422) {
    return new Unreadable(`the OCR endpoint refuses the picture: ${reason}`);
  }
  const retryAfter = retryAfterOf(responseHeaders?.['retry-after'] ?? null);
  return new Upstream(`The OCR endpoint failed: ${reason}`, {
    // What answers 200 and makes no sense may do so the next time.
    retryable: status === undefined || status < 300 || isRetryableStatus(status),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== undefined && { status }),
    cause: error,
  });
}
