import type { Source } from '#src/chat/sources.ts';
import { readChunks } from '#src/chat/stream/read-chunks.ts';
import { type DomainError, Unavailable } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { openAiError } from '../dialect.ts';
import { type OutputOptions, ResponseOutput } from './output.ts';
import type { ResponseObject, ResponseRequest } from './schemas.ts';

/** Data about a response that is known before the answer is generated. */
export interface ResponseFrame extends OutputOptions {
  request: ResponseRequest;
  /** Seconds since 1970. */
  created: number;
  /** Texts of the conversation, from which its tokens are counted. */
  asked: readonly string[];
  warnings: Warning[];
  /** Id of the stored response that is continued. */
  previousId: string | null;
  /**
   * Stores the complete response, and returns whether it could. Undefined if the client did not ask for it.
   */
  store?: ((response: ResponseObject, sources: readonly Source[]) => Promise<boolean>) | undefined;
  /** Returns warnings about the named settings, which the model does not support. */
  listWarnings(unsupported: readonly string[]): Warning[];
}

/** Returns the response once it is complete. If generating the answer failed, throws the error. */
export async function buildResponse(
  stream: ReadableStream<Uint8Array>,
  frame: ResponseFrame,
): Promise<ResponseObject> {
  const output = new ResponseOutput(frame);
  for await (const chunk of readChunks(stream)) if (chunk) [...output.add(chunk)];
  if (output.answer.failure) throw output.answer.failure;
  [...output.end()];
  return finish(output, frame);
}

const HEARTBEAT = ':\n\n';

/** Yields the response as server-sent events while it is generated. A failure is the last event, and is not thrown. */
export async function* streamResponseEvents(
  stream: ReadableStream<Uint8Array>,
  frame: ResponseFrame,
): AsyncGenerator<string, void> {
  const output = new ResponseOutput(frame);
  let sequence_number = 0;
  const encode = ({ type, ...more }: { type: string }) => {
    const event = `event: ${type}\ndata: ${JSON.stringify({ type, ...more, sequence_number })}\n\n`;
    sequence_number += 1;
    return event;
  };
  const present = (status: ResponseObject['status']) => ({ response: describe(output, frame, status) });
  try {
    for await (const chunk of readChunks(stream)) {
      if (!chunk) yield HEARTBEAT;
      else {
        if (chunk.type === 'start') {
          output.answer.addChunk(chunk);
          yield encode({ type: 'response.created', ...present('in_progress') });
          yield encode({ type: 'response.in_progress', ...present('in_progress') });
        }
        for (const event of output.add(chunk)) yield encode(event);
      }
    }
    if (output.answer.failure) {
      yield encode({ type: 'response.failed', ...fail(output, frame, output.answer.failure) });
      return;
    }
    for (const event of output.end()) yield encode(event);
    const response = await finish(output, frame);
    yield encode({ type: `response.${response.status}`, ...{ response } });
  } catch {
    const failure = new Unavailable('The answer was interrupted. Send the request again.');
    yield encode({ type: 'response.failed', ...fail(output, frame, failure) });
  }
}

function fail(output: ResponseOutput, frame: ResponseFrame, failure: DomainError) {
  const { code, message } = openAiError(failure);
  return { response: { ...describe(output, frame, 'failed'), error: { code, message } } };
}

const REASONS = { length: 'max_output_tokens', content_filter: 'content_filter' } as const;

async function finish(output: ResponseOutput, frame: ResponseFrame): Promise<ResponseObject> {
  const { answer } = output;
  const reason =
    answer.finishReason in REASONS ? REASONS[answer.finishReason as keyof typeof REASONS] : undefined;
  const usage = await answer.usage(frame.asked);
  const warnings = [...frame.warnings, ...frame.listWarnings(answer.unsupported)];
  const response: ResponseObject = {
    ...describe(output, frame, reason ? 'incomplete' : 'completed'),
    incomplete_details: reason ? { reason } : null,
    usage: {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.total_tokens,
    },
    ...(warnings.length > 0 && { warnings }),
  };
  if (!frame.store || (await frame.store(response, answer.sources))) return response;
  return { ...response, store: false, warnings: [...warnings, NOT_STORED] };
}

const NOT_STORED = {
  field: 'store',
  reason: 'The conversation is too long to be stored, or one of its documents has just changed.',
};

function describe(
  { answer, items }: ResponseOutput,
  { request, id, created, warnings, previousId, store }: ResponseFrame,
  status: ResponseObject['status'],
): ResponseObject {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model: request.model,
    output: [...items],
    parallel_tool_calls: true,
    previous_response_id: previousId,
    store: store !== undefined,
    temperature: request.temperature ?? null,
    text: request.text ?? { format: { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? null,
    truncation: 'disabled',
    usage: null,
    metadata: request.metadata ?? {},
    sluice: answer.details,
    ...(warnings.length > 0 && { warnings }),
  };
}
