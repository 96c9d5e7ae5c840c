import type { ToolCall } from '#src/chat/model-request.ts';
import { readChunks } from '#src/chat/stream/read-chunks.ts';
import { Unavailable } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { buildAnnotations } from './annotations.ts';
import type { ChatCompletion } from './chat.schemas.ts';
import { CollectedAnswer } from './collected-answer.ts';
import { openAiError } from './dialect.ts';
import { streamText } from './event-stream.ts';

/** Data about a chat completion that is known before the answer is generated. */
export interface Frame {
  id: string;
  model: string;
  /** Seconds since 1970. */
  created: number;
  /** Public origin of this service, which links to sources begin with. */
  origin: string;
  /** Texts of the conversation, from which its tokens are counted. */
  asked: readonly string[];
  /** Warnings that are known before the answer is generated. */
  warnings: Warning[];
  /** Returns warnings about the named settings, which the model does not support. */
  listWarnings(unsupported: readonly string[]): Warning[];
  /** True if the answer is JSON, in which lists of numbers are no citation marks. */
  isJson: boolean;
  includeUsage: boolean;
}

const toWarningsField = (warnings: Warning[]) => (warnings.length > 0 ? { warnings } : {});

const presentToolCall = ({ id, name, arguments: given }: ToolCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: given },
});

/** Returns the answer once it is complete. If generating the answer failed, throws the error. */
export async function buildCompletion(
  stream: ReadableStream<Uint8Array>,
  frame: Frame,
): Promise<ChatCompletion> {
  const answer = new CollectedAnswer();
  for await (const chunk of readChunks(stream)) if (chunk) answer.addChunk(chunk);
  if (answer.failure) throw answer.failure;
  const { text, sources, finishReason, toolCalls } = answer;
  const annotations = frame.isJson ? [] : buildAnnotations(text, sources, frame.origin);
  return {
    id: frame.id,
    object: 'chat.completion',
    created: frame.created,
    model: frame.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && toolCalls.length > 0 ? null : text,
          refusal: null,
          annotations,
          ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(presentToolCall) }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: await answer.usage(frame.asked),
    sluice: answer.details,
    ...toWarningsField([...frame.warnings, ...frame.listWarnings(answer.unsupported)]),
  };
}

/** Returns the answer as server-sent events while it is generated. Cancelling the stream stops the answer. */
export function streamCompletion(
  stream: ReadableStream<Uint8Array>,
  frame: Frame,
): ReadableStream<Uint8Array> {
  return streamText(streamEvents(stream, frame), stream);
}

/**
 * Comment line that is sent as a heartbeat in the stream of events. Sending it reveals that a client has
 * disconnected.
 */
const HEARTBEAT = ':\n\n';

async function* streamEvents(stream: ReadableStream<Uint8Array>, frame: Frame): AsyncGenerator<string, void> {
  const { id, created, model, includeUsage } = frame;
  const collected = new CollectedAnswer();
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const chunk = (choices: object[], more: object = {}) =>
    event({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      ...(includeUsage && { usage: null }),
      ...more,
    });
  const said = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }], more);
  try {
    for await (const part of readChunks(stream)) {
      if (part) collected.addChunk(part);
      if (part?.type === 'start') {
        const about = { sluice: collected.details, ...toWarningsField(frame.warnings) };
        yield said({ role: 'assistant', content: '', refusal: null }, null, about);
      } else if (part?.type === 'text-delta') yield said({ content: part.delta });
      else if (part?.type === 'data-tool-call') {
        const index = collected.toolCalls.length - 1;
        yield said({ tool_calls: [{ index, ...presentToolCall(part.data as ToolCall) }] });
      } else yield HEARTBEAT;
    }
    if (collected.failure) {
      yield event({ error: openAiError(collected.failure) });
      return;
    }
    const { text, sources } = collected;
    const annotations = frame.isJson ? [] : buildAnnotations(text, sources, frame.origin);
    if (annotations.length > 0) yield said({ annotations });
    yield said({}, collected.finishReason, toWarningsField(frame.listWarnings(collected.unsupported)));
    if (includeUsage) yield chunk([], { usage: await collected.usage(frame.asked) });
    yield 'data: [DONE]\n\n';
  } catch {
    yield event({
      error: openAiError(new Unavailable('The answer was interrupted. Send the request again.')),
    });
  }
}
