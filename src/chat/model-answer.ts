import { streamText } from 'ai';
import { type DomainError, Upstream } from '#src/lib/errors.ts';
import { createNoObjectError, toDomainError } from '#src/models/structured-output/errors.ts';
import { requestObject } from '#src/models/structured-output/output-format.ts';
import { getModelName } from '#src/ports/language-model.ts';
import type { AnswerEvent } from './answer.ts';
import type { ChatJob } from './job.ts';
import { offerTools, toModelMessages, toToolCall } from './tools.ts';

const DEFAULT_TEMPERATURE = 0.1;

/**
 * Streams the answer of the language model as text, calls of the client's tools, and `done`. An answer in JSON comes as one
 * text, because incomplete JSON cannot be checked. Without `system`, the model gets the conversation alone.
 */
export async function* streamModelAnswer(
  job: ChatJob,
  system: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const format = job.request?.format;
  const events = streamEvents(job, system, signal);
  if (format) yield* collectJson(events);
  else yield* events;
}

async function* streamEvents(
  job: ChatJob,
  system: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const { request } = job;
  const failure: { error?: unknown } = {};
  const object = request?.format && requestObject(request.format);
  const offered = request ? offerTools(request) : {};
  const prompt = [system, object?.instruction].filter((part) => part !== undefined).join('\n\n');
  const result = streamText({
    model: job.model!,
    maxRetries: 0,
    ...(prompt !== '' && { system: prompt }),
    ...job.generation,
    ...offered,
    ...object?.settings,
    temperature: job.parameters.temperature ?? DEFAULT_TEMPERATURE,
    messages: toModelMessages(job.turns, 'tools' in offered),
    // Callers already have an API key for the pipeline, so their system messages are trusted.
    allowSystemInMessages: true,
    abortSignal: signal,
    onError: ({ error }) => {
      failure.error = error;
    },
  });
  try {
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') yield { type: 'text', delta: part.text };
      else if (part.type === 'tool-call') yield { type: 'tool-call', call: toToolCall(part) };
    }
    signal.throwIfAborted();
    if (failure.error) throw failure.error;
    const [finishReason, usage, warnings = []] = await Promise.all([
      result.finishReason,
      result.usage,
      result.warnings,
    ]);
    yield {
      type: 'done',
      finishReason,
      usage: { input: usage.inputTokens, output: usage.outputTokens },
      unsupported: warnings.flatMap((warning) => (warning.type === 'unsupported' ? [warning.feature] : [])),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw explainRefusal(toDomainError(failure.error ?? error), job);
  }
}

/** Statuses with which language models refuse a kind of input. */
const REFUSED_INPUT = new Set([400, 415, 422]);

/** Adds to the error of a model that refused a request with pictures that it may not take any. */
function explainRefusal(error: DomainError, { model, turns }: ChatJob): DomainError {
  const isRefusal = error instanceof Upstream && REFUSED_INPUT.has(error.status ?? 0);
  if (!isRefusal || !turns.some(({ pictures }) => pictures)) return error;
  const message =
    `The language model ${getModelName(model!)} refused a request with pictures. Choose a model that takes ` +
    `pictures, or send text only. ${error.message}`;
  return new Upstream(message, { retryable: false, status: error.status, cause: error });
}

/** Passes on the text of an answer once it is complete and JSON. An answer that was cut off is passed on as it is. */
async function* collectJson(events: AsyncGenerator<AnswerEvent>): AsyncGenerator<AnswerEvent> {
  let text = '';
  let hasCalls = false;
  for await (const event of events) {
    if (event.type === 'text') {
      text += event.delta;
      continue;
    }
    hasCalls ||= event.type === 'tool-call';
    if (event.type === 'done') {
      const isWhole = event.finishReason === 'stop' && !hasCalls;
      if (isWhole && !isJson(text)) throw createNoObjectError(event.finishReason);
      if (text !== '') yield { type: 'text', delta: text };
    }
    yield event;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
