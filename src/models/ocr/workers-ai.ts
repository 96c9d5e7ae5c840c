import { messageOf, Upstream } from '#src/errors.ts';
import { type Ocr, Unreadable } from './ocr.ts';
import { transcriptionPrompt, unwrapTranscript } from './prompt.ts';

/** The part of the Workers AI binding that is used; models that take chat messages with pictures. */
export interface AiBinding {
  run(model: string, input: Record<string, unknown>): Promise<unknown>;
}

/** A vision model of the account's Workers AI. The binding exists only when deployed. */
export function workersAiOcr(ai: AiBinding, model: string): Ocr {
  return {
    id: `workers-ai/${model}`,
    async recognise(image, languages) {
      const url = `data:${image.mimeType};base64,${toBase64(image.bytes)}`;
      const content = [
        { type: 'text', text: transcriptionPrompt(languages) },
        { type: 'image_url', image_url: { url } },
      ];
      const input = { messages: [{ role: 'user', content }], max_tokens: 4_096, temperature: 0 };
      const answer = await ai.run(model, input).catch((error: unknown) => {
        throw new Upstream(`Workers AI failed: ${messageOf(error)}`, { retryable: true, cause: error });
      });
      const text = answerText(answer);
      if (text === undefined) throw new Unreadable(`${model} answers with something other than text`);
      return { format: 'markdown', text: unwrapTranscript(text), words: [] };
    },
  };
}

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
