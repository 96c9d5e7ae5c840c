import type { TraceAnswer, TraceCandidate } from '#src/services/traces/draft.ts';
import { describeError } from '#src/services/traces/trace-retrieval.ts';
import type { AnswerEvent } from './answer.ts';
import { listQuestions } from './input.ts';
import type { AnswerTrace, ChatAnswer, ChatJob, Found } from './job.ts';
import { shortenQuestion } from './shorten-question.ts';
import { listCitations } from './sources.ts';

type EventNamed<Type extends AnswerEvent['type']> = Extract<AnswerEvent, { type: Type }>;

/** Events of an answer that its trace describes. An answer that failed may lack the first and the last one. */
export interface TracedEvents {
  found?: EventNamed<'found'>;
  dropped: EventNamed<'dropped'>[];
  done?: EventNamed<'done'>;
}

interface Ended {
  status: ChatAnswer['status'];
  text: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Seconds of each event, and `total`. */
  timings: Record<string, number>;
  /** Undefined if the answer did not fail. */
  error: unknown;
}

/** Builds the trace of an ended answer from its events. */
export function buildAnswerTrace(job: ChatJob, events: TracedEvents, ended: Ended): AnswerTrace {
  const { found, done } = events;
  const { status, text, startedAt, timings, error } = ended;
  const retrieval = found?.retrieval;
  const chunks = retrieval?.chunks ?? [];
  const notes = found?.notes ?? {};
  // Lists of numbers in JSON are no citation marks.
  const citations = listCitations(job.request?.format ? '' : text, chunks).map(({ citation, cited }) => ({
    number: citation,
    chunkId: cited.chunk.id,
  }));
  const hasDoubts = chunks.length === 0 || notes.relevance !== undefined || !job.model;
  const answer: TraceAnswer = {
    status,
    model: found?.model ?? '',
    text,
    finishReason: done?.finishReason,
    inputTokens: done?.usage.input,
    outputTokens: done?.usage.output,
    condensed: notes.searched_for,
    searchedParts: parseParts(notes.searched_parts),
    messages: found?.prompt?.messages ?? [],
    passageCount: found?.prompt?.passageCount ?? chunks.length,
    citations,
    dropped: events.dropped.map(({ citation, statement, reason }) => ({
      number: citation,
      chunkId: chunks[citation - 1]?.chunk.id ?? null,
      statement,
      reason,
    })),
    timings,
    isRefused: status === 'complete' && hasDoubts && citations.length === 0,
  };
  return {
    startedAt,
    durationMs: (timings.total ?? 0) * 1000,
    question: shortenQuestion(listQuestions(job.turns).at(-1) ?? ''),
    inferredFilters: retrieval?.inferredFilters,
    candidates: retrieval ? rankCandidates(retrieval) : [],
    notes,
    latency: retrieval?.latency ?? {},
    answer,
    ...(error !== undefined && { error: describeError(error) }),
  };
}

/** The searches for the parts of a question rank separately, so the ranks of the merged results replace theirs. */
function rankCandidates({ considered = [], chunks }: Found): TraceCandidate[] {
  const getKey = (pipelineId: string, chunkId: string) => `${pipelineId} ${chunkId}`;
  const ranks = new Map(
    chunks.map(({ chunk, pipelineId }, index) => [getKey(pipelineId, chunk.id), index + 1]),
  );
  const merged = new Map<string, TraceCandidate>();
  for (const each of considered) {
    const key = getKey(each.pipelineId, each.chunkId);
    if (!merged.has(key)) merged.set(key, { ...each, rankAfter: ranks.get(key) ?? null });
  }
  return [...merged.values()];
}

const parseParts = (parts: string | undefined) => (parts ? (JSON.parse(parts) as string[]) : undefined);
