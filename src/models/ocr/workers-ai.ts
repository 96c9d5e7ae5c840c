import { z } from 'zod';
import { getErrorMessage, Unavailable, Upstream } from '#src/lib/errors.ts';
import { Unreadable } from '#src/ports/ocr.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { defineOcr } from './definition.ts';
import { buildTranscriptionPrompt, unwrapTranscript } from './prompt.ts';

const TIMEOUT_SECONDS = 120;

export const workersAi = defineOcr({
  kind: 'workers_ai',
  className: 'WorkersAIOCR',
  settings: z.object({
    model: z.string().min(1),
    timeout: z.number().positive().default(TIMEOUT_SECONDS).describe('Timeout in seconds.'),
  }),
  capabilities: { returnsPositions: false },
  getId: ({ model }) => `workers-ai/${model}`,
  open({ model, timeout }, { bindings: { AI } }) {
    if (!AI)
      throw new Unavailable(`The model ${model} needs Workers AI, but the Workers AI binding is missing.`);
    return {
      async recognise(image, languages) {
        const url = `data:${image.mimeType};base64,${toBase64(image.bytes)}`;
        const content = [
          { type: 'text', text: buildTranscriptionPrompt(languages) },
          { type: 'image_url', image_url: { url } },
        ];
        const input = { messages: [{ role: 'user', content }], max_tokens: 4_096, temperature: 0 };
        const answer = await withTimeout(AI.run(model, input), timeout).catch((error: unknown) => {
          throw new Upstream(`Workers AI failed: ${getErrorMessage(error)}`, {
            retryable: true,
            cause: error,
          });
        });
        const text = readAnswerText(answer);
        if (text === undefined) throw new Unreadable(`${model} answered with something other than text`);
        return { format: 'markdown', text: unwrapTranscript(text), words: [] };
      },
    };
  },
});

/**
 * Returns the text of a Workers AI answer. Older models answer with `{response}`, and newer models in the
 * format of OpenAI's protocol. Returns `undefined` for other answers.
 */
function readAnswerText(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { response, choices } = answer as {
    response?: unknown;
    choices?: { message?: { content?: unknown } }[];
  };
  const text = response ?? choices?.[0]?.message?.content;
  return typeof text === 'string' ? text : undefined;
}

/** Converts bytes to base64 in pieces, because the number of arguments in one function call is limited. */
function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  }
  return btoa(parts.join(''));
}
