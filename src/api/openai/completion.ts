import { readChunks } from '#src/chat/stream/read-chunks.ts';
import { Unavailable } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { annotationsOf } from './annotations.ts';
import type { ChatCompletion } from './chat.schemas.ts';
import { ToldAnswer } from './told-answer.ts';
import { openAiError } from './tongue.ts';

/** Envelope of an answer in this protocol. */
export interface Frame {
  id: string;
  model: string;
  /** Seconds since 1970. */
  created: number;
  /** Public origin of this service. */
  origin: string;
  /** Texts of the conversation, for counting tokens. */
  asked: readonly string[];
  /** Warnings that were known before the answer. */
  warnings: Warning[];
  /** Returns warnings about settings that the model does not support. */
  warningsOf(unsupported: readonly string[]): Warning[];
  includeUsage: boolean;
}

const member = (warnings: Warning[]) => (warnings.length > 0 ? { warnings } : {});

/** Returns the whole answer. Throws the error that it failed with. */
export async function wholeCompletion(
  stream: ReadableStream<Uint8Array>,
  frame: Frame,
): Promise<ChatCompletion> {
  const told = new ToldAnswer();
  for await (const chunk of readChunks(stream)) if (chunk) told.take(chunk);
  if (told.failure) throw told.failure;
  const { text, sources, finishReason } = told;
  const annotations = annotationsOf(text, sources, frame.origin);
  return {
    id: frame.id,
    object: 'chat.completion',
    created: frame.created,
    model: frame.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null, annotations },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: await told.usage(frame.asked),
    sluice: told.about,
    ...member([...frame.warnings, ...frame.warningsOf(told.unsupported)]),
  };
}

/** Returns the answer as server-sent events while it is generated. Cancelling the stream stops the answer. */
export function streamedCompletion(
  stream: ReadableStream<Uint8Array>,
  frame: Frame,
): ReadableStream<Uint8Array> {
  const events = eventsOf(stream, frame);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await events.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await Promise.all([events.return(), stream.locked ? undefined : stream.cancel()]);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Comment line as heartbeat. It reveals readers that have disconnected. */
const SIGN_OF_LIFE = ':\n\n';

async function* eventsOf(stream: ReadableStream<Uint8Array>, frame: Frame): AsyncGenerator<string, void> {
  const { id, created, model, includeUsage } = frame;
  const told = new ToldAnswer();
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
      if (part) told.take(part);
      if (part?.type === 'start') {
        const about = { sluice: told.about, ...member(frame.warnings) };
        yield said({ role: 'assistant', content: '', refusal: null }, null, about);
      } else if (part?.type === 'text-delta') yield said({ content: part.delta });
      else yield SIGN_OF_LIFE;
    }
    if (told.failure) {
      yield event({ error: openAiError(told.failure) });
      return;
    }
    const annotations = annotationsOf(told.text, told.sources, frame.origin);
    if (annotations.length > 0) yield said({ annotations });
    yield said({}, told.finishReason, member(frame.warningsOf(told.unsupported)));
    if (includeUsage) yield chunk([], { usage: await told.usage(frame.asked) });
    yield 'data: [DONE]\n\n';
  } catch {
    yield event({ error: openAiError(new Unavailable('The answer broke off.')) });
  }
}
