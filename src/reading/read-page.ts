import { generateText, type LanguageModel } from 'ai';
import { DomainError, Upstream } from '#src/lib/errors.ts';
import { toDomainError } from '#src/models/structured-output/errors.ts';
import type { Prompt } from './prompt.ts';

export interface PagePicture {
  bytes: Uint8Array;
  mimeType: string;
}

/** The page is at fault, or the model with this page: what it read of the others stands. */
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

/** A dense page has some 3,000 tokens; more than this is a model that repeats itself. */
const MOST_TOKENS = 16_384;
const MOST_CHARACTERS = 200_000;
/** Statuses that are about what was sent. */
const ABOUT_THE_PAGE = new Set([400, 413, 422]);

/**
 * One page as a model writes it in Markdown. Rejects with PageFailure where another page may fare better, with another
 * DomainError where the endpoint is at fault, and with the signal's reason when the caller gives up.
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

/** Models like to wrap what they were asked for. */
function unwrapped(answer: string): string {
  const text = answer.trim();
  const lines = text.split('\n');
  const isFenced = lines.length > 1 && /^```(?:markdown|md)?$/.test(lines[0]!) && lines.at(-1) === '```';
  const body = (isFenced ? lines.slice(1, -1).join('\n') : text).trim();
  return /^NOTHING\.?$/.test(body) ? '' : body;
}
