import type { UIMessageChunk } from 'ai';
import type { ToolCall } from '#src/chat/model-request.ts';
import type { Source } from '#src/chat/sources.ts';
import { DomainError, type ErrorCode } from '#src/lib/errors.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { toSource } from './annotations.ts';
import type { ChatCompletion, FinishReason, Usage } from './chat.schemas.ts';

type Metadata = Record<string, unknown>;

const REASONS: Record<string, FinishReason> = {
  length: 'length',
  // The model's stream was interrupted. `length` is the OpenAI protocol's closest finish reason for an
  // incomplete answer.
  interrupted: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
};

/** Collects the text, sources and token counts of a chat answer from the chunks of its stream. */
export class CollectedAnswer {
  text = '';
  readonly sources: Source[] = [];
  readonly toolCalls: ToolCall[] = [];
  details: ChatCompletion['sluice'] = { answered_by: '', retrieval: {} };
  finishReason: FinishReason = 'stop';
  /** Requested settings that the model did not support, by their names in the AI SDK. */
  unsupported: string[] = [];
  failure: DomainError | undefined;
  #counted: { input?: number; output?: number } = {};

  addChunk(chunk: UIMessageChunk): void {
    if (chunk.type === 'start') {
      const { model, retrieval, trace_id } = chunk.messageMetadata as Metadata;
      this.details = {
        answered_by: String(model),
        retrieval: retrieval as Metadata,
        ...(typeof trace_id === 'string' && { trace_id }),
      };
    } else if (chunk.type === 'source-document') {
      this.sources.push(toSource(chunk));
    } else if (chunk.type === 'text-delta') {
      this.text += chunk.delta;
    } else if (chunk.type === 'data-tool-call') {
      this.toolCalls.push(chunk.data as ToolCall);
    } else if (chunk.type === 'data-citations') {
      this.#counted = (chunk.data as { usage: { input?: number; output?: number } }).usage;
    } else if (chunk.type === 'error') {
      this.failure = new DomainError('internal', chunk.errorText, { retryable: true });
    } else if (chunk.type === 'abort') {
      this.failure = new DomainError(
        'unavailable',
        chunk.reason ?? 'The answer was stopped before its end.',
        {
          retryable: true,
        },
      );
    } else if (chunk.type === 'finish') {
      this.#finish(chunk.finishReason, (chunk.messageMetadata ?? {}) as Metadata);
    }
  }

  #finish(reason: string | undefined, { failure, unsupported }: Metadata): void {
    this.finishReason = REASONS[reason ?? ''] ?? 'stop';
    if (Array.isArray(unsupported)) this.unsupported = unsupported;
    if (!this.failure || !failure) return;
    const { code, retryable } = failure as { code: ErrorCode; retryable: boolean };
    this.failure = new DomainError(code, this.failure.message, { retryable });
  }

  /**
   * Returns the token counts that the model reported. A missing count is computed with the tokenizer that
   * also measures chunks.
   */
  async usage(asked: readonly string[]): Promise<Usage> {
    const tokenizer = await loadTokenizer();
    const input = this.#counted.input ?? asked.reduce((sum, text) => sum + tokenizer.count(text), 0);
    const output = this.#counted.output ?? tokenizer.count(this.text);
    return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  }
}
