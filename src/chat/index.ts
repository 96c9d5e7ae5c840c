import type { UIMessageChunk } from 'ai';
import { DomainError, messageOf } from '#src/lib/errors.ts';
import { type AnswerEvent, answer } from './answer.ts';
import type { ChatAnswer, ChatJob, Found, FoundChunk, PrintedBox } from './job.ts';
import { citationOf, citationsIn, droppedOf, sourceOf } from './sources.ts';
import { Abandoned } from './stream/abandoned.ts';

/** Seconds from the beginning of an answer to what happens in it. */
class Stopwatch {
  readonly #begun = Date.now();
  readonly #noted: Record<string, number> = {};

  /** The first time counts. */
  note(what: string): void {
    this.#noted[what] ??= this.#seconds();
  }

  /** All that was noted, and `total`. */
  stop(): Record<string, number> {
    return { ...this.#noted, total: this.#seconds() };
  }

  #seconds(): number {
    return (Date.now() - this.#begun) / 1000;
  }
}

type FoundEvent = Extract<AnswerEvent, { type: 'found' }>;

/** An answer as far as it has been told. */
interface Told {
  text: string;
  found: Found | undefined;
  metadata: Record<string, unknown>;
  isKept: boolean;
  watch: Stopwatch;
}

/**
 * The answer as chunks of a UI message: all that was found as sources, the text, then which of the sources it cites.
 * It always ends with `finish`, or with `abort` when it was abandoned; a failure is an `error` before `finish`.
 */
export async function* chat(job: ChatJob, signal: AbortSignal): AsyncGenerator<UIMessageChunk> {
  const told: Told = { text: '', found: undefined, metadata: {}, isKept: false, watch: new Stopwatch() };
  const textId = crypto.randomUUID();
  try {
    for await (const event of answer(job, signal)) {
      signal.throwIfAborted();
      if (event.type === 'found') {
        yield* opening(job, told, event);
        yield { type: 'text-start', id: textId };
      } else if (event.type === 'text') {
        told.watch.note('first_text');
        told.text += event.delta;
        yield { type: 'text-delta', id: textId, delta: event.delta };
      } else if (event.type === 'dropped') {
        yield { type: 'data-citation-dropped', data: droppedOf(event, told.found!.chunks) };
      } else {
        yield { type: 'text-end', id: textId };
        const citations = await placedCitations(job, told.text, told.found!.chunks);
        const data = { citations, usage: event.usage };
        yield { type: 'data-citations', data };
        yield { type: 'finish-step' };
        const isComplete = event.finishReason === 'stop';
        const { unsupported } = event;
        const messageMetadata = {
          ...endOf(job, told, isComplete),
          ...(unsupported.length > 0 && { unsupported }),
        };
        told.isKept = true;
        await job.onEnd?.({ ...answerOf(told, isComplete ? 'complete' : 'cut', messageMetadata), citations });
        yield { type: 'finish', finishReason: event.finishReason, messageMetadata };
      }
    }
  } catch (error) {
    yield* ending(job, told, signal, error);
  }
}

function* opening(job: ChatJob, told: Told, event: FoundEvent): Generator<UIMessageChunk> {
  const { model, notes, retrieval, retrievedAt } = event;
  told.watch.note('search');
  told.found = retrieval;
  told.metadata = {
    model,
    retrieval: notes,
    retrieved_at: retrievedAt.toISOString(),
    retrieval_latency: retrieval.latency,
    ...job.kept,
    ...(job.warnings.length > 0 && { warnings: job.warnings }),
  };
  yield { type: 'start', messageId: job.messageId, messageMetadata: told.metadata };
  yield { type: 'start-step' };
  for (const [index, found] of retrieval.chunks.entries()) yield sourceOf(found, index + 1);
}

/** What the end of an answer says of it. Clients add it to what its start said. */
const endOf = ({ messageId, kept }: ChatJob, { watch }: Told, complete: boolean) => ({
  complete,
  message_id: messageId,
  ...kept,
  latency: watch.stop(),
});

function answerOf(told: Told, status: ChatAnswer['status'], end: object): ChatAnswer {
  const found = told.found?.chunks ?? [];
  return {
    status,
    text: told.text,
    sources: found.map((each, index) => sourceOf(each, index + 1)),
    citations: citationsIn(told.text, found).map(({ citation, cited }) => citationOf(citation, cited, [])),
    metadata: { ...told.metadata, ...end },
  };
}

/** The citations with where the cited nodes are printed, looked up now, so that no answer waits for it to begin. */
async function placedCitations(job: ChatJob, text: string, found: FoundChunk[]) {
  const all = citationsIn(text, found);
  let boxes: PrintedBox[][] = [];
  try {
    boxes = (await job.placesOf?.(all.map(({ cited }) => cited))) ?? [];
  } catch (error) {
    job.onError(error);
  }
  return all.map(({ citation, cited }, index) => citationOf(citation, cited, boxes[index] ?? []));
}

async function* ending(
  job: ChatJob,
  told: Told,
  signal: AbortSignal,
  error: unknown,
): AsyncGenerator<UIMessageChunk> {
  const isAbandoned = signal.reason instanceof Abandoned;
  const messageMetadata = endOf(job, told, false);
  if (!told.isKept) {
    const answer = answerOf(told, isAbandoned ? 'aborted' : 'failed', messageMetadata);
    await job.onEnd?.(answer).catch((lost: unknown) => job.onError(lost));
  }
  if (isAbandoned) {
    yield { type: 'abort', reason: messageOf(signal.reason) };
    return;
  }
  job.onError(error);
  // Nothing of an unforeseen error's text leaves.
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
