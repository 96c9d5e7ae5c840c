import type { UIMessageChunk } from 'ai';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { type AnswerEvent, answer } from './answer.ts';
import { buildAnswerTrace, type TracedEvents } from './answer-trace.ts';
import { findCitedSentences } from './cited-sentences.ts';
import type { ChatAnswer, ChatJob, Found, FoundChunk, PrintedBox } from './job.ts';
import { listCitations, toCitation, toDroppedCitation, toSource } from './sources.ts';
import { Abandoned } from './stream/abandoned.ts';

/** Measures how many seconds after its beginning an answer reaches each event. */
class Stopwatch {
  /** Milliseconds since 1970. */
  readonly begun = Date.now();
  readonly #noted: Record<string, number> = {};

  /** Records the time of an event. Later events with the same name are ignored. */
  note(what: string): void {
    this.#noted[what] ??= this.#seconds();
  }

  /** Returns the seconds of each recorded event, and the total time as `total`. */
  stop(): Record<string, number> {
    return { ...this.#noted, total: this.#seconds() };
  }

  #seconds(): number {
    return (Date.now() - this.begun) / 1000;
  }
}

type FoundEvent = Extract<AnswerEvent, { type: 'found' }>;

interface AnswerState {
  text: string;
  found: Found | undefined;
  /** Events that the trace of the answer describes. */
  events: TracedEvents;
  metadata: Record<string, unknown>;
  isStored: boolean;
  watch: Stopwatch;
}

/**
 * Answers a question as chunks of an AI SDK message: all retrieved sources, then the text, then the cited
 * sources. The stream ends with `finish`, or with `abort` if the answer was stopped. After a failure, `error`
 * precedes `finish`.
 */
export async function* chat(job: ChatJob, signal: AbortSignal): AsyncGenerator<UIMessageChunk> {
  const state: AnswerState = {
    text: '',
    found: undefined,
    events: { dropped: [] },
    metadata: {},
    isStored: false,
    watch: new Stopwatch(),
  };
  const textId = crypto.randomUUID();
  try {
    for await (const event of answer(job, signal)) {
      signal.throwIfAborted();
      if (event.type === 'found') {
        state.events.found = event;
        yield* openAnswer(job, state, event);
        yield { type: 'text-start', id: textId };
      } else if (event.type === 'text') {
        state.watch.note('first_text');
        state.text += event.delta;
        yield { type: 'text-delta', id: textId, delta: event.delta };
      } else if (event.type === 'tool-call') {
        yield { type: 'data-tool-call', data: event.call };
      } else if (event.type === 'dropped') {
        state.events.dropped.push(event);
        yield { type: 'data-citation-dropped', data: toDroppedCitation(event, state.found!.chunks) };
      } else {
        state.events.done = event;
        yield { type: 'text-end', id: textId };
        const citations = await locateCitations(job, getCitingText(job, state), state.found!.chunks);
        const data = { citations, usage: event.usage };
        yield { type: 'data-citations', data };
        yield { type: 'finish-step' };
        const isComplete = event.finishReason === 'stop' || event.finishReason === 'tool-calls';
        const { unsupported } = event;
        const messageMetadata = {
          ...buildEndMetadata(job, state, isComplete),
          ...(unsupported.length > 0 && { unsupported }),
        };
        state.isStored = true;
        await job.onEnd?.({
          ...buildAnswer(job, state, isComplete ? 'complete' : 'cut', messageMetadata),
          citations,
          usage: event.usage,
        });
        reportTrace(job, state, isComplete ? 'complete' : 'cut');
        yield { type: 'finish', finishReason: event.finishReason, messageMetadata };
      }
    }
  } catch (error) {
    yield* endAnswer(job, state, signal, error);
  }
}

function* openAnswer(job: ChatJob, state: AnswerState, event: FoundEvent): Generator<UIMessageChunk> {
  const { model, notes, retrieval, retrievedAt } = event;
  state.watch.note('search');
  state.found = retrieval;
  state.metadata = {
    model,
    retrieval: notes,
    retrieved_at: retrievedAt.toISOString(),
    retrieval_latency: retrieval.latency,
    ...job.sessionMetadata,
    ...(job.warnings.length > 0 && { warnings: job.warnings }),
  };
  yield { type: 'start', messageId: job.messageId, messageMetadata: state.metadata };
  yield { type: 'start-step' };
  for (const [index, found] of retrieval.chunks.entries()) yield toSource(found, index + 1);
}

/** Returns the metadata at the end of an answer. Clients merge it with the metadata at the start. */
const buildEndMetadata = (
  { messageId, sessionMetadata }: ChatJob,
  { watch }: AnswerState,
  complete: boolean,
) => ({
  complete,
  message_id: messageId,
  ...sessionMetadata,
  latency: watch.stop(),
});

function buildAnswer(
  job: ChatJob,
  state: AnswerState,
  status: ChatAnswer['status'],
  end: object,
): ChatAnswer {
  const found = state.found?.chunks ?? [];
  return {
    status,
    text: state.text,
    sources: found.map((each, index) => toSource(each, index + 1)),
    citations: listCitations(getCitingText(job, state), found).map(({ citation, cited }) =>
      toCitation(citation, cited, []),
    ),
    metadata: { ...state.metadata, ...end },
  };
}

/** Returns the text in which marks such as [1] cite a passage. In JSON they are lists of numbers. */
const getCitingText = ({ request }: ChatJob, { text }: AnswerState) => (request?.format ? '' : text);

/**
 * Looks up where the cited passages and the quoted sentences in them are printed, after the text was sent, so that the answer is not delayed.
 */
async function locateCitations(job: ChatJob, text: string, found: FoundChunk[]) {
  const all = listCitations(text, found);
  const sentences = findCitedSentences(text, found);
  let boxes: PrintedBox[][] = [];
  try {
    const passages = all.map(({ cited }) => cited);
    boxes = (await job.findBoxes?.([...passages, ...sentences.map(({ sentence }) => sentence)])) ?? [];
  } catch (error) {
    job.onError(error);
  }
  return all.map(({ citation, cited }, index) => {
    const quoted = sentences.flatMap((each, at) =>
      each.citation === citation ? [{ range: each.range, boxes: boxes[all.length + at] ?? [] }] : [],
    );
    return toCitation(citation, cited, boxes[index] ?? [], {
      boxes: quoted.flatMap((each) => each.boxes),
      ranges: quoted.map(({ range }) => range),
    });
  });
}

function reportTrace(job: ChatJob, state: AnswerState, status: ChatAnswer['status'], error?: unknown): void {
  const { text, watch } = state;
  job.onTrace?.(
    buildAnswerTrace(job, state.events, {
      status,
      text,
      startedAt: watch.begun,
      timings: watch.stop(),
      error,
    }),
  );
}

async function* endAnswer(
  job: ChatJob,
  state: AnswerState,
  signal: AbortSignal,
  error: unknown,
): AsyncGenerator<UIMessageChunk> {
  const isAbandoned = signal.reason instanceof Abandoned;
  const messageMetadata = buildEndMetadata(job, state, false);
  if (!state.isStored) {
    const answer = buildAnswer(job, state, isAbandoned ? 'aborted' : 'failed', messageMetadata);
    await job.onEnd?.(answer).catch((lost: unknown) => job.onError(lost));
    reportTrace(job, state, answer.status, isAbandoned ? undefined : error);
  }
  if (isAbandoned) {
    yield { type: 'abort', reason: getErrorMessage(signal.reason) };
    return;
  }
  job.onError(error);
  // The message of an unexpected error may contain internal details, so a general message is sent instead.
  const reason = error instanceof DomainError ? error.message : 'Something went wrong on our side.';
  const errorText = `The answer could not be completed (request ${job.requestId}): ${reason}`;
  yield { type: 'error', errorText };
  const { code, retryable } = error instanceof DomainError ? error : { code: 'internal', retryable: true };
  yield {
    type: 'finish',
    finishReason: 'error',
    messageMetadata: { ...messageMetadata, failure: { code, retryable } },
  };
}
