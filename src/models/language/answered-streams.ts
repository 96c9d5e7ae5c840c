import type { LanguageModelMiddleware } from 'ai';
import { Upstream } from '#src/lib/errors.ts';

/**
 * Fails a stream that ends with neither content nor a reason for its end. The SDK passes over what is no event of the
 * protocol, so a web page, an empty object or an answer that breaks off at once would pass for an empty answer.
 */
export function refuseEmptyStreams(name: string): LanguageModelMiddleware {
  return {
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      let isAnswered = false;
      const watched = stream.pipeThrough(
        new TransformStream<typeof stream extends ReadableStream<infer Part> ? Part : never>({
          transform(part, controller) {
            if (part.type === 'finish') isAnswered ||= part.finishReason.raw !== undefined;
            else isAnswered ||= !NOTHING.has(part.type);
            if (part.type === 'finish' && !isAnswered)
              controller.enqueue({ type: 'error', error: emptyStream(name) });
            controller.enqueue(part);
          },
        }),
      );
      return { ...rest, stream: watched };
    },
  };
}

/** Parts that a stream has although nothing of an answer came. An error tells by itself what went wrong. */
const NOTHING = new Set(['stream-start', 'response-metadata', 'raw']);

const emptyStream = (name: string) =>
  new Upstream(`engine_error: ${name} answered with something that is no stream of a completion.`, {
    retryable: true,
  });
