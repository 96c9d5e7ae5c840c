import { APICallError, type LanguageModelMiddleware } from 'ai';
import { backoff } from '#src/lib/async/backoff.ts';
import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { untilAborted } from '#src/upstream/watched-body.ts';
import { toDomainError } from '../structured-output/errors.ts';
import type { LanguageLimits } from './definition.ts';

const WAITS = { first: 0.5, longest: 5 };

/**
 * Applies time limits, retries and cancellation to a model that is called through a binding, which knows none
 * of them.
 */
export function withinLimits(name: string, limits: LanguageLimits): LanguageModelMiddleware {
  const { silenceSeconds, totalSeconds, retries } = limits;

  async function once<T>(
    work: () => PromiseLike<T>,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const seconds = Math.min(silenceSeconds, Math.max(0, end - Date.now()) / 1000);
    try {
      return await untilAborted(withTimeout(Promise.resolve(work()), seconds), signal);
    } catch (error) {
      if (error instanceof TimedOut) {
        const message = `engine_error: ${name} did not answer within ${seconds} seconds.`;
        throw new Upstream(message, { retryable: true, cause: error });
      }
      throw error;
    }
  }

  async function ask<T>(
    work: () => PromiseLike<T>,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(work, end, signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const known = ofBinding(name, error);
        const wait = backoff(WAITS, attempt, {});
        // An unreadable answer is not retried here; as with HTTP, the caller decides.
        const isAnswer = !(APICallError.isInstance(error) || error instanceof DomainError);
        const isLate = Date.now() + wait * 1000 >= end;
        if (isAnswer || !known.retryable || attempt > retries || isLate) throw known;
        await untilAborted(new Promise((resolve) => setTimeout(resolve, wait * 1000)), signal);
      }
    }
  }

  const endOf = () => Date.now() + totalSeconds * 1000;
  return {
    wrapGenerate: ({ doGenerate, params }) => ask(doGenerate, endOf(), params.abortSignal),
    async wrapStream({ doStream, params }) {
      const end = endOf();
      const signal = params.abortSignal;
      const { stream, ...rest } = await ask(doStream, end, signal);
      const reader = stream.getReader();
      const leave = (reason: unknown) => void reader.cancel(reason).catch(() => {});
      return {
        ...rest,
        stream: new ReadableStream({
          async pull(controller) {
            try {
              const { done, value } = await once(() => reader.read(), end, signal);
              if (done) controller.close();
              else controller.enqueue(value);
            } catch (error) {
              leave(error);
              controller.error(
                error instanceof DomainError || signal?.aborted ? error : brokenOff(name, error),
              );
            }
          },
          cancel: leave,
        }),
      };
    },
  };
}

/** Errors of a binding have a status if the platform documents their code. Others count as temporary. */
function ofBinding(name: string, error: unknown): DomainError {
  if (!APICallError.isInstance(error) || error.statusCode !== undefined) return toDomainError(error);
  return new Upstream(`engine_error: ${name}: ${messageOf(error)}`, { retryable: true, cause: error });
}

const brokenOff = (name: string, error: unknown) =>
  new Upstream(`engine_error: ${name} did not finish its answer: ${messageOf(error)}`, {
    retryable: true,
    cause: error,
  });
