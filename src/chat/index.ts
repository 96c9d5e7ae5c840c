import type { UIMessageChunk } from 'ai';
import { DomainError, messageOf } from '#src/errors.ts';
import type { RankedChunk } from '#src/retrieval/index.ts';
import { type AnswerEvent, answer } from './answer.ts';
import type { ChatAnswer, ChatJob, PrintedBox } from './job.ts';
import { citationOf, citationsIn, droppedOf, sourceOf } from './sources.ts';
import { Abandoned } from './stream/abandoned.ts';

type Found = Extract<AnswerEvent, { type: 'found' }>;

/**
 * The answer as chunks of a UI message: all that was found as sources, the text, then which of the sources it cites.
 * It always ends with `finish`, or with `abort` when it was abandoned; a failure is an `error` before `finish`.
 */
export async function* chat(job: ChatJob, signal: AbortSignal): AsyncGenerator<UIMessageChunk> {
  const told: ChatAnswer = { status: 'failed', text: '', retrieval: undefined };
  const textId = crypto.randomUUID();
  try {
    for await (const event of answer(job, signal)) {
      signal.throwIfAborted();
      if (event.type === 'found') {
        told.retrieval = event.retrieval;
        yield* opening(job, event);
        yield { type: 'text-start', id: textId };
      } else if (event.type === 'text') {
        told.text += event.delta;
        yield { type: 'text-delta', id: textId, delta: event.delta };
      } else if (event.type === 'dropped') {
        yield { type: 'data-citation-dropped', data: droppedOf(event, told.retrieval!.chunks) };
      } else {
        told.status = 'complete';
        yield { type: 'text-end', id: textId };
        const citations = await placedCitations(job, told.text, told.retrieval!.chunks);
        const data = { citations, usage: event.usage };
        yield { type: 'data-citations', data };
        yield { type: 'finish-step' };
        await job.onEnd?.(told);
        yield {
          type: 'finish',
          finishReason: event.finishReason,
          messageMetadata: { complete: event.finishReason === 'stop' },
        };
      }
    }
  } catch (error) {
    yield* ending(job, told, signal, error);
  }
}

function* opening(job: ChatJob, { model, notes, retrieval, retrievedAt }: Found): Generator<UIMessageChunk> {
  yield {
    type: 'start',
    messageId: job.messageId,
    messageMetadata: {
      model,
      retrieval: notes,
      retrieved_at: retrievedAt.toISOString(),
      ...(job.warnings.length > 0 && { warnings: job.warnings }),
    },
  };
  yield { type: 'start-step' };
  for (const [index, ranked] of retrieval.chunks.entries()) yield sourceOf(ranked, index + 1);
}

/** The citations with where the cited nodes are printed, looked up now, so that no answer waits for it to begin. */
async function placedCitations(job: ChatJob, text: string, found: RankedChunk[]) {
  const cited = citationsIn(text, found);
  let boxes: PrintedBox[][] = [];
  try {
    boxes = (await job.placesOf?.(cited.map(({ chunk }) => chunk))) ?? [];
  } catch (error) {
    job.onError(error);
  }
  return cited.map(({ citation, chunk }, index) => citationOf(citation, chunk, boxes[index] ?? []));
}

async function* ending(
  job: ChatJob,
  told: ChatAnswer,
  signal: AbortSignal,
  error: unknown,
): AsyncGenerator<UIMessageChunk> {
  const isAbandoned = signal.reason instanceof Abandoned;
  const status = isAbandoned ? 'aborted' : 'failed';
  if (told.status !== 'complete') {
    await job.onEnd?.({ ...told, status }).catch((lost: unknown) => job.onError(lost));
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
  yield { type: 'finish', finishReason: 'error', messageMetadata: { complete: false } };
}
