import type { LanguageModelMiddleware } from 'ai';

type Middleware = Required<LanguageModelMiddleware>;
type Generated = Awaited<ReturnType<Parameters<Middleware['wrapGenerate']>[0]['doGenerate']>>;
type Streamed = Awaited<ReturnType<Parameters<Middleware['wrapStream']>[0]['doStream']>>;
type Usage = Generated['usage'];

/** Result and token usage of one language model call. */
export interface CallUsage {
  inputTokens: number;
  outputTokens: number;
  /**
   * True if the model did not report its token usage, so that it is estimated from the length of the texts.
   */
  isEstimated: boolean;
  hasFailed: boolean;
  milliseconds: number;
}

/** Average number of characters per token, with which token counts are estimated. */
const CHARACTERS_PER_TOKEN = 4;

const estimateTokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/**
 * Creates middleware that reports each call of a model once when it ends, whether it was answered, failed or
 * was cancelled while streaming. `before` may throw to reject a call.
 */
export function createCountingMiddleware(
  before: () => void,
  report: (call: CallUsage) => void,
): LanguageModelMiddleware {
  const begin = (prompt: unknown) => {
    before();
    return new Call(prompt, report);
  };
  return {
    async wrapGenerate({ doGenerate, params }) {
      const call = begin(params.prompt);
      return call.awaitAnswer(async () => {
        const answer = await doGenerate();
        for (const part of answer.content) if (part.type === 'text') call.addText(part.text);
        call.setUsage(answer.usage);
        call.end(false);
        return answer;
      });
    },
    async wrapStream({ doStream, params }) {
      const call = begin(params.prompt);
      const answer = await call.awaitAnswer(doStream);
      return { ...answer, stream: countStream(answer.stream, call) };
    },
  };
}

class Call {
  readonly #prompt: unknown;
  readonly #report: (call: CallUsage) => void;
  readonly #start = performance.now();
  #written = 0;
  #usage: Usage | undefined;
  #isOver = false;

  constructor(prompt: unknown, report: (call: CallUsage) => void) {
    this.#prompt = prompt;
    this.#report = report;
  }

  /** Waits for the model's answer. If the model rejects the call, no tokens are counted. */
  async awaitAnswer<Answer>(ask: () => PromiseLike<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      this.end(true, true);
      throw error;
    }
  }

  addText(text: string): void {
    this.#written += text.length;
  }

  setUsage(usage: Usage): void {
    this.#usage = usage;
  }

  end(hasFailed: boolean, isUnanswered = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const input = this.#usage?.inputTokens.total;
    const output = this.#usage?.outputTokens.total;
    // Some models report no token usage, and others report zero tokens. In both cases the usage is estimated.
    const isReported = input !== undefined && output !== undefined && input + output > 0;
    const isEstimated = !isUnanswered && !isReported;
    this.#report({
      inputTokens: input || (isEstimated ? estimateTokens(JSON.stringify(this.#prompt).length) : 0),
      outputTokens: output || (isEstimated ? estimateTokens(this.#written) : 0),
      isEstimated,
      hasFailed,
      milliseconds: performance.now() - this.#start,
    });
  }
}

/** Passes a streamed answer on, and reports the call when the stream ends. */
function countStream(stream: Streamed['stream'], call: Call): Streamed['stream'] {
  const reader = stream.getReader();
  let hasFailed = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          call.end(hasFailed);
          return controller.close();
        }
        if (value.type === 'text-delta' || value.type === 'reasoning-delta') call.addText(value.delta);
        if (value.type === 'error') hasFailed = true;
        if (value.type === 'finish') {
          call.setUsage(value.usage);
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
  });
}
