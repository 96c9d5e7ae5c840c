import { APICallError, type LanguageModelMiddleware } from 'ai';
import { backoff } from '#src/lib/async/backoff.ts';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { raceAbort } from '#src/upstream/watched-body.ts';
import { toDomainError } from '../structured-output/errors.ts';
import type { LanguageLimits } from './definition.ts';

const WAITS = { first: 0.5, longest: 5 };

/**
 * Applies time limits, retries and cancellation to a model that is called through a Cloudflare binding.
 * Bindings support none of these.
 */
export function limitModel(name: string, limits: LanguageLimits): LanguageModelMiddleware {
  const { silenceSeconds, totalSeconds, retries } = limits;

  async function runOnce<T>(
    work: () => PromiseLike<T>,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const seconds = Math.min(silenceSeconds, Math.max(0, end - Date.now()) / 1000);
    try {
      return await raceAbort(withTimeout(Promise.resolve(work()), seconds), signal);
    } catch (error) {
      if (error instanceof TimedOut) {
        const message = `engine_error: ${name} did not answer within ${seconds} seconds.`;
        throw new Upstream(message, { retryable: true, cause: error });
      }
      throw error;
    }
  }

  async function runWithRetries<T>(
    work: () => PromiseLike<T>,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOnce(work, end, signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const known = toBindingError(name, error);
        const wait = backoff(WAITS, attempt, {});
        // An unreadable answer is not retried here. As for models behind HTTP, the caller decides about a
        // retry.
        const isAnswer = !(APICallError.isInstance(error) || error instanceof DomainError);
        const isLate = Date.now() + wait * 1000 >= end;
        if (isAnswer || !known.retryable || attempt > retries || isLate) throw known;
        await raceAbort(new Promise((resolve) => setTimeout(resolve, wait * 1000)), signal);
      }
    }
  }

  const computeEnd = () => Date.now() + totalSeconds * 1000;
  return {
    wrapGenerate: ({ doGenerate, params }) => runWithRetries(doGenerate, computeEnd(), params.abortSignal),
    async wrapStream({ doStream, params }) {
      const end = computeEnd();
      const signal = params.abortSignal;
      const { stream, ...rest } = await runWithRetries(doStream, end, signal);
      const reader = stream.getReader();
      const cancelReader = (reason: unknown) => void reader.cancel(reason).catch(() => {});
      return {
        ...rest,
        stream: new ReadableStream({
          async pull(controller) {
            try {
              const { done, value } = await runOnce(() => reader.read(), end, signal);
              if (done) controller.close();
              else controller.enqueue(value);
            } catch (error) {
              cancelReader(error);
              controller.error(
                error instanceof DomainError || signal?.aborted ? error : createInterruptedError(name, error),
              );
            }
          },
          cancel: cancelReader,
        }),
      };
    },
  };
}

/**
 * Converts an error of a Cloudflare binding. The error has an HTTP status if Cloudflare documents its code.
 * Errors without a status count as temporary.
 */
function toBindingError(name: string, error: unknown): DomainError {
  if (!APICallError.isInstance(error) || error.statusCode !== undefined) return toDomainError(error);
  return new Upstream(`engine_error: ${name}: ${getErrorMessage(error)}`, { retryable: true, cause: error });
}

const createInterruptedError = (name: string, error: unknown) =>
  new Upstream(`engine_error: ${name} did not finish its answer: ${getErrorMessage(error)}`, {
    retryable: true,
    cause: error,
  });
