import { generateText, type LanguageModel } from 'ai';
import { DomainError, Upstream } from '#src/lib/errors.ts';
import { toDomainError } from '#src/models/structured-output/errors.ts';
import type { Prompt } from './prompt.ts';

export interface PagePicture {
  bytes: Uint8Array;
  mimeType: string;
}

/** Thrown if the model failed with this page only. The results of other pages stay valid. */
export class PageFailure extends DomainError {
  override readonly name = 'PageFailure';
  constructor(message: string, cause?: unknown) {
    super('invalid', message, { cause });
  }
}

export interface Asking {
  model: LanguageModel;
  prompt: Prompt;
  picture?: PagePicture | undefined;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Maximum tokens of an answer. A dense page has about 3,000; more is a model that repeats itself. */
const MOST_TOKENS = 16_384;
const MOST_CHARACTERS = 200_000;
/** Statuses that concern the request's content. */
const ABOUT_THE_PAGE = new Set([400, 413, 422]);

/**
 * Asks a model for the Markdown of a page. Rejects with PageFailure if other pages may succeed, with another
 * DomainError if the endpoint is at fault, and with the signal's reason if the caller cancels.
 */
export async function askForPage(asking: Asking): Promise<string> {
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
      maxOutputTokens: MOST_TOKENS,
      abortSignal: AbortSignal.any([signal, timeout]),
    });
    if (finishReason === 'content-filter') throw new PageFailure('llm_refusal: The model refuses the page.');
    if (finishReason === 'length' || text.length > MOST_CHARACTERS)
      throw new PageFailure('engine_error: The model’s answer was cut off before its end.');
    return unwrapped(text);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted) {
      const message = `engine_error: The model did not answer within ${timeoutMs / 1000} s.`;
      throw new Upstream(message, { retryable: true, cause: error });
    }
    const known = toDomainError(error);
    if (known instanceof Upstream && ABOUT_THE_PAGE.has(known.status ?? 0))
      throw new PageFailure(known.message, known);
    throw known;
  }
}

/** Removes a code fence around the answer, which models like to add. */
function unwrapped(answer: string): string {
  const text = answer.trim();
  const lines = text.split('\n');
  const isFenced = lines.length > 1 && /^```(?:markdown|md)?$/.test(lines[0]!) && lines.at(-1) === '```';
  const body = (isFenced ? lines.slice(1, -1).join('\n') : text).trim();
  return /^NOTHING\.?$/.test(body) ? '' : body;
}
