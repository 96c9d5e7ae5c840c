import type { LanguageModelMiddleware } from 'ai';

type Middleware = Required<LanguageModelMiddleware>;
type Generated = Awaited<ReturnType<Parameters<Middleware['wrapGenerate']>[0]['doGenerate']>>;
type Streamed = Awaited<ReturnType<Parameters<Middleware['wrapStream']>[0]['doStream']>>;
type Usage = Generated['usage'];

/** Result and token usage of one model call. */
export interface Counted {
  inputTokens: number;
  outputTokens: number;
  /** Whether the model did not report its tokens, so that they are estimated from the length of the texts. */
  isEstimated: boolean;
  hasFailed: boolean;
  milliseconds: number;
}

/** Average number of characters per token, used if a model does not report its tokens. */
const CHARACTERS = 4;

const tokensIn = (characters: number) => Math.ceil(characters / CHARACTERS);

/**
 * Wraps a model so that each call is reported once when it ends: answered, failed, or cancelled during
 * streaming. `before` may throw to refuse a call.
 */
export function counted(before: () => void, tell: (call: Counted) => void): LanguageModelMiddleware {
  const begin = (prompt: unknown) => {
    before();
    return new Call(prompt, tell);
  };
  return {
    async wrapGenerate({ doGenerate, params }) {
      const call = begin(params.prompt);
      return call.untilAnswered(async () => {
        const answer = await doGenerate();
        for (const part of answer.content) if (part.type === 'text') call.read(part.text);
        call.took(answer.usage);
        call.end(false);
        return answer;
      });
    },
    async wrapStream({ doStream, params }) {
      const call = begin(params.prompt);
      const answer = await call.untilAnswered(doStream);
      return { ...answer, stream: countStream(answer.stream, call) };
    },
  };
}

/** One call of a model. */
class Call {
  readonly #prompt: unknown;
  readonly #tell: (call: Counted) => void;
  readonly #start = performance.now();
  #written = 0;
  #usage: Usage | undefined;
  #isOver = false;

  constructor(prompt: unknown, tell: (call: Counted) => void) {
    this.#prompt = prompt;
    this.#tell = tell;
  }

  /** Waits for the answer. A call that the model rejects used no tokens. */
  async untilAnswered<Answer>(ask: () => PromiseLike<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      this.end(true, true);
      throw error;
    }
  }

  read(text: string): void {
    this.#written += text.length;
  }

  took(usage: Usage): void {
    this.#usage = usage;
  }

  end(hasFailed: boolean, isUnanswered = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const input = this.#usage?.inputTokens.total;
    const output = this.#usage?.outputTokens.total;
    // Some models report no usage, and others report zero.
    const isTold = input !== undefined && output !== undefined && input + output > 0;
    const isEstimated = !isUnanswered && !isTold;
    this.#tell({
      inputTokens: input || (isEstimated ? tokensIn(JSON.stringify(this.#prompt).length) : 0),
      outputTokens: output || (isEstimated ? tokensIn(this.#written) : 0),
      isEstimated,
      hasFailed,
      milliseconds: performance.now() - this.#start,
    });
  }
}

/** Passes a stream on and ends the call with it. */
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
  });
}
