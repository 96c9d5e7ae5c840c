import { messageOf } from '#src/errors.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { SourceError } from './source.ts';

/** HTTP to a system that may fall silent at any moment. What it fails with is a SourceError worth a retry. */
export interface SourceHttp {
  /** Resolves with the headers. */
  fetch(request: Request): Promise<Response>;
  /** The body, piece by piece. */
  body(response: Response): AsyncGenerator<Uint8Array>;
  text(response: Response): Promise<string>;
}

/** `silence`: how long headers, and then each piece of a body, are waited for. Seconds. */
export function sourceHttp(silence: number): SourceHttp {
  async function* body(response: Response): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    if (!reader) return;
    try {
      for (;;) {
        const { done, value } = await withTimeout(reader.read(), silence);
        if (done) return;
        yield value;
      }
    } catch (cause) {
      const { host } = new URL(response.url || 'http://source');
      throw new SourceError(`${host} broke off: ${messageOf(cause)}.`, { retryable: true, cause });
    } finally {
      await reader.cancel().catch(() => {});
    }
  }
  return {
    body,
    async fetch(request) {
      const { host } = new URL(request.url);
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), silence * 1000);
      try {
        return await fetch(request, { signal: abort.signal });
      } catch (cause) {
        const reason = abort.signal.aborted ? `did not answer within ${silence} s` : 'could not be reached';
        throw new SourceError(`${host} ${reason}.`, { retryable: true, cause });
      } finally {
        clearTimeout(timer);
      }
    },
    async text(response) {
      const decoder = new TextDecoder();
      let text = '';
      for await (const piece of body(response)) text += decoder.decode(piece, { stream: true });
      return text + decoder.decode();
    },
  };
}

/** The error for an answer that is none: 408, 429 and 5xx are worth a retry, when the source says so not before. */
export function failureOf(
  response: Response,
  message: string,
  options: { alsoRetryable?: boolean } = {},
): SourceError {
  const { status } = response;
  const retryAfter = retryAfterOf(response.headers.get('retry-after'));
  return new SourceError(message, {
    retryable: status === 408 || status === 429 || status >= 500 || (options.alsoRetryable ?? false),
    ...((retryAfter !== undefined || status === 429) && { retryAfter: retryAfter ?? 1 }),
  });
}
