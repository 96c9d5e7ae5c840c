import { messageOf } from '../../errors.ts';
import { retryAfterOf } from '../../lib/retry-after.ts';
import { SourceError } from './source.ts';

/** Until headers are there, and between two pieces of a body. */
const PATIENCE_MS = 30_000;

/** Sends one request; a source that cannot be reached or stays silent is a SourceError worth a retry. */
export async function sourceFetch(request: Request): Promise<Response> {
  const { host } = new URL(request.url);
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), PATIENCE_MS);
  try {
    return await fetch(request, { signal: abort.signal });
  } catch (cause) {
    const reason = abort.signal.aborted
      ? `did not answer within ${PATIENCE_MS / 1000} s`
      : 'could not be reached';
    throw new SourceError(`${host} ${reason}.`, { retryable: true, cause });
  } finally {
    clearTimeout(timer);
  }
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

/** The body, given up when nothing comes for too long. */
export async function* patientBody(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader();
  const { host } = new URL(response.url || 'http://source');
  try {
    for (;;) {
      const { done, value } = await within(reader.read());
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw new SourceError(`${host} broke off: ${messageOf(cause)}.`, { retryable: true, cause });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
