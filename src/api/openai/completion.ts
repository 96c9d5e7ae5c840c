import { readChunks } from '#src/chat/stream/read-chunks.ts';
import { Unavailable } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { annotationsOf } from './annotations.ts';
import type { ChatCompletion } from './chat.schemas.ts';
import { ToldAnswer } from './told-answer.ts';
import { openAiError } from './tongue.ts';

/** What an answer in this protocol says besides the answer. */
export interface Frame {
  id: string;
  model: string;
  /** Seconds since 1970. */
  created: number;
  /** Where people reach this service. */
  origin: string;
  /** The texts of the conversation. */
  asked: readonly string[];
  /** What of the request changes nothing, as far as that was known before the answer. */
  warnings: Warning[];
  /** What the model does not know of the settings that it was given. */
  warningsOf(unsupported: readonly string[]): Warning[];
  includeUsage: boolean;
}

const member = (warnings: Warning[]) => (warnings.length > 0 ? { warnings } : {});

/** The whole answer. Throws what it failed with. */
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

/** The answer as events, while it is made. Whoever cancels it ends the answer. */
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

/** What readers of events pass over; a reader that has left is noticed when it does not take it. */
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
