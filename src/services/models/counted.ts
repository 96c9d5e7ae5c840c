import type { LanguageModelMiddleware } from 'ai';

type Generated = Awaited<
  ReturnType<Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0]['doGenerate']>
>;
type Usage = Generated['usage'];

/** How a call ended, and what it took. */
export interface Counted {
  inputTokens: number;
  outputTokens: number;
  isEstimated: boolean;
  hasFailed: boolean;
  milliseconds: number;
}

/** Characters of a token, where nobody told how many there were. */
const CHARACTERS = 4;

/**
 * Tells of each call of a model once, when it has ended: answered, failed, or left by its reader in the middle of a
 * stream. `before` may refuse a call.
 */
export function counted(before: () => void, tell: (call: Counted) => void): LanguageModelMiddleware {
  function begin(prompt: unknown) {
    before();
    const start = performance.now();
    let written = 0;
    let usage: Usage | undefined;
    let isOver = false;
    return {
      read(text: string) {
        written += text.length;
      },
      took(told: Usage) {
        usage = told;
      },
      end(hasFailed: boolean, isUnanswered = false) {
        if (isOver) return;
        isOver = true;
        const [input, output] = [usage?.inputTokens.total, usage?.outputTokens.total];
        // Some say nothing, and some that it was nothing.
        const isTold = input !== undefined && output !== undefined && input + output > 0;
        const isEstimated = !isUnanswered && !isTold;
        tell({
          inputTokens: input || (isEstimated ? tokensIn(JSON.stringify(prompt).length) : 0),
          outputTokens: output || (isEstimated ? tokensIn(written) : 0),
          isEstimated,
          hasFailed,
          milliseconds: performance.now() - start,
        });
      },
    };
  }

  return {
    async wrapGenerate({ doGenerate, params }) {
      const call = begin(params.prompt);
      try {
        const answer = await doGenerate();
        for (const part of answer.content) if (part.type === 'text') call.read(part.text);
        call.took(answer.usage);
        call.end(false);
        return answer;
      } catch (error) {
        call.end(true, true);
        throw error;
      }
    },
    async wrapStream({ doStream, params }) {
      const call = begin(params.prompt);
      const answer = await doStream().then(
        (streamed) => streamed,
        (error: unknown) => {
          call.end(true, true);
          throw error;
        },
      );
      const reader = answer.stream.getReader();
      let hasFailed = false;
      return {
        ...answer,
        stream: new ReadableStream({
          async pull(controller) {
            try {
              const { done, value } = await reader.read();
              if (done) {
                call.end(hasFailed);
                return controller.close();
              }
              if (value.type === 'text-delta' || value.type === 'reasoning-delta') call.read(value.delta);
              if (value.type === 'error') hasFailed = true;
              if (value.type === 'finish') {
                call.took(value.usage);
                call.end(hasFailed);
              }
              controller.enqueue(value);
            } catch (error) {
              call.end(true);
              controller.error(error);
            }
          },
          async cancel(reason) {
            call.end(true);
            await reader.cancel(reason);
          },
        }),
      };
    },
  };
}

const tokensIn = (characters: number) => Math.ceil(characters / CHARACTERS);
