import { z } from 'zod';
import { messageOf, Unavailable, Upstream } from '#src/lib/errors.ts';
import { Unreadable } from '#src/ports/ocr.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { defineOcr } from './definition.ts';
import { transcriptionPrompt, unwrapTranscript } from './prompt.ts';

const TIMEOUT_SECONDS = 120;

/** A vision model of the account's Workers AI. */
export const workersAi = defineOcr({
  kind: 'workers_ai',
  className: 'WorkersAIOCR',
  settings: z.object({
    model: z.string().min(1),
    timeout: z.number().positive().default(TIMEOUT_SECONDS).describe('Seconds.'),
  }),
  capabilities: { tellsPositions: false },
  idOf: ({ model }) => `workers-ai/${model}`,
  open({ model, timeout }, { bindings: { AI } }) {
    if (!AI) throw new Unavailable(`Workers AI is not bound here, and ${model} is a model of it.`);
    return {
      async recognise(image, languages) {
        const url = `data:${image.mimeType};base64,${toBase64(image.bytes)}`;
        const content = [
          { type: 'text', text: transcriptionPrompt(languages) },
          { type: 'image_url', image_url: { url } },
        ];
        const input = { messages: [{ role: 'user', content }], max_tokens: 4_096, temperature: 0 };
        const answer = await withTimeout(AI.run(model, input), timeout).catch((error: unknown) => {
          throw new Upstream(`Workers AI failed: ${messageOf(error)}`, { retryable: true, cause: error });
        });
        const text = answerText(answer);
        if (text === undefined) throw new Unreadable(`${model} answers with something other than text`);
        return { format: 'markdown', text: unwrapTranscript(text), words: [] };
      },
    };
  },
});

/** Older models answer `{response}`, newer ones as the OpenAI protocol does. */
function answerText(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { response, choices } = answer as {
    response?: unknown;
    choices?: { message?: { content?: unknown } }[];
  };
  const text = response ?? choices?.[0]?.message?.content;
  return typeof text === 'string' ? text : undefined;
}

/** In pieces: a call takes only so many arguments. */
function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  }
  return btoa(parts.join(''));
}
