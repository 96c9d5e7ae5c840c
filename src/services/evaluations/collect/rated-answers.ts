import { findOwnAnswer } from '#src/chat/sessions/stored-answer.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { TraceRow } from '#src/db/schema/index.ts';
import type { StoredAnswer } from '#src/services/traces/details.ts';
import { getTrace, type PassagePlace, readPassages, type ShownCandidate } from '#src/services/traces/read.ts';

/** Passage that a rated answer cites. The text is null if the passage was changed, deleted or is not accessible. */
export interface CitedPassage {
  citation: number;
  documentId: string;
  text: string | null;
}

export interface RatedAnswer {
  /** Null if the question was not stored. */
  question: string | null;
  /** Empty if the answer was not stored. */
  answer: string;
  /** Whether the answer says that the documents do not answer the question. */
  isRefused: boolean;
  passages: CitedPassage[];
}

/**
 * Reads an answer that somebody has rated. Answers that were not recorded with text are read from the chat sessions of the
 * caller. Conversations of other users are never read.
 */
export async function readRatedAnswer(ctx: TenantContext, row: TraceRow): Promise<RatedAnswer> {
  const { isRefused } = row;
  if (row.details === null || row.question === null) {
    return { ...(await readFromSession(ctx, row)), isRefused };
  }
  const { details } = await getTrace(ctx, row.id);
  const answer = (details?.answer ?? null) as StoredAnswer | null;
  return {
    question: answer?.condensed_question ?? row.question,
    answer: answer?.text ?? '',
    isRefused,
    passages: details && answer ? listPassages(answer, details.candidates) : [],
  };
}

function listPassages({ citations }: StoredAnswer, candidates: readonly ShownCandidate[]): CitedPassage[] {
  return citations.flatMap(({ citation, chunk_id }) => {
    const found = candidates.find((each) => each.chunk_id === chunk_id && each.rank_after !== null);
    return found ? [{ citation, documentId: found.document_id, text: found.text }] : [];
  });
}

async function readFromSession(
  ctx: TenantContext,
  { id, userId }: TraceRow,
): Promise<Omit<RatedAnswer, 'isRefused'>> {
  const stored = userId === ctx.actor.userId ? await findOwnAnswer(ctx, id) : undefined;
  if (!stored) return { question: null, answer: '', passages: [] };
  const places = stored.cited.map((each): PassagePlace & { citation: number } => each);
  const read = await readPassages(ctx, places);
  const passages = places.map((place) => {
    const found = read.get(place);
    const text = found?.state === 'available' ? found.chunk.text : null;
    return { citation: place.citation, documentId: place.document_id, text };
  });
  return { question: stored.question, answer: stored.text, passages };
}
