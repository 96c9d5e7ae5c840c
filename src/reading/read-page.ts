import { generateText, type LanguageModel } from 'ai';
import { DomainError, Upstream } from '#src/lib/errors.ts';
import { toDomainError } from '#src/models/structured-output/errors.ts';
import type { Prompt } from './prompt.ts';

export interface PagePicture {
  bytes: Uint8Array;
  mimeType: string;
}

/** Thrown if the language model failed only for this page. The results of other pages stay valid. */
export class PageFailure extends DomainError {
  override readonly name = 'PageFailure';
  constructor(message: string, cause?: unknown) {
    super('invalid', message, { cause });
  }
}

export interface GenerateMarkdownRequest {
  model: LanguageModel;
  prompt: Prompt;
  picture?: PagePicture | undefined;
  signal: AbortSignal;
  timeoutMs: number;
}

/**
 * Maximum number of tokens in a model's answer. A dense page takes about 3,000 tokens. In a much longer
 * answer, the model usually repeats itself.
 */
const MAX_OUTPUT_TOKENS = 16_384;
const MAX_ANSWER_CHARACTERS = 200_000;
/**
 * HTTP statuses with which a model endpoint rejects the content of one request. Requests for other pages may
 * still succeed.
 */
const CONTENT_STATUSES = new Set([400, 413, 422]);

/**
 * Asks a language model for the Markdown of a page or picture. Rejects with `PageFailure` if other pages may
 * still succeed, and with another `DomainError` if the endpoint fails. Rejects with the signal's reason if
 * the caller cancels.
 */
export async function generateMarkdown(asking: GenerateMarkdownRequest): Promise<string> {
  const { model, prompt, picture, signal, timeoutMs } = asking;
  const timeout = AbortSignal.timeout(timeoutMs);
  const file = picture && ({ type: 'file', data: picture.bytes, mediaType: picture.mimeType } as const);
  try {
    const { text, finishReason } = await generateText({
      model,
      system: prompt.system,
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt.text }, ...(file ? [file] : [])] }],
      temperature: 0,
      maxRetries: 0,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      abortSignal: AbortSignal.any([signal, timeout]),
    });
    if (finishReason === 'content-filter')
      throw new PageFailure('llm_refusal: The model refused to transcribe the page.');
    if (finishReason === 'length' || text.length > MAX_ANSWER_CHARACTERS)
      throw new PageFailure('engine_error: The model’s answer was cut off before its end.');
    return unwrapAnswer(text);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted) {
      const message = `engine_error: The model did not answer within ${timeoutMs / 1000} s.`;
      throw new Upstream(message, { retryable: true, cause: error });
    }
    const known = toDomainError(error);
    if (known instanceof Upstream && CONTENT_STATUSES.has(known.status ?? 0))
      throw new PageFailure(known.message, known);
    throw known;
  }
}

/**
 * Removes a code fence, which language models often add around their answer. Returns an empty string if the
 * answer is NOTHING.
 */
function unwrapAnswer(answer: string): string {
  const text = answer.trim();
  const lines = text.split('\n');
  const isFenced = lines.length > 1 && /^```(?:markdown|md)?$/.test(lines[0]!) && lines.at(-1) === '```';
  const body = (isFenced ? lines.slice(1, -1).join('\n') : text).trim();
  return /^NOTHING\.?$/.test(body) ? '' : body;
}
