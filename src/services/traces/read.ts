import { eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { type TraceRow, traces } from '#src/db/schema/index.ts';
import { hasQuotes, isErased, removeQuotes } from '#src/db/trace-quotes.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { NotFound } from '#src/lib/errors.ts';
import { dropStoredFigures } from '#src/lib/text/picture-links.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { selectLiveIndex } from '#src/services/indexes/indexes.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { findMembers } from '#src/services/pipelines/documents/document-members.ts';
import { getPipeline } from '#src/services/pipelines/pipelines.ts';
import type { StoredCandidate, TraceDetails } from './details.ts';
import { requireTrace } from './visible.ts';

/** Maximum number of passages whose texts are read to show a trace. */
const MAX_PASSAGES = 100;
/** Maximum length of the text of one passage. Retrieval may return whole files. */
const MAX_TEXT_CHARACTERS = 8_000;

/** Candidate of a trace with what the index contains now. */
export interface ShownCandidate extends StoredCandidate {
  /** Null if the chunk is no result, is redacted, or no longer exists with this text. */
  text: string | null;
  title: string | null;
  /** Whether the chunk still exists with the same text. Null if this was not looked up. */
  is_available: boolean | null;
}

export interface ShownTrace {
  row: TraceRow;
  /** Undefined if only feedback was given. */
  details:
    | (Omit<TraceDetails, 'candidates'> & { candidates: ShownCandidate[]; is_withheld: boolean })
    | undefined;
}

/**
 * Returns a trace with the texts of its passages, which are read from the index. The answer and the other texts that may
 * quote passages are shown only while every passage of the prompt exists unchanged and the caller can read it. Otherwise
 * they are also deleted if a passage is gone.
 */
export async function getTrace(ctx: TenantContext, id: string): Promise<ShownTrace> {
  const row = await requireTrace(ctx, id);
  const details = row.details as TraceDetails | null;
  if (!details) return { row, details: undefined };
  const results = details.candidates.filter(({ rank_after }) => rank_after !== null);
  const passages = await readPassages(ctx, results);
  const candidates = details.candidates.map((candidate): ShownCandidate => {
    const found = passages.get(candidate);
    const hasText = found?.state === 'available' && !candidate.is_redacted;
    return {
      ...candidate,
      text: hasText ? dropStoredFigures(found.chunk.text).slice(0, MAX_TEXT_CHARACTERS) : null,
      title: hasText ? found.chunk.title : null,
      is_available: found ? found.state === 'available' : null,
    };
  });
  const states = results.map((candidate) => passages.get(candidate)?.state);
  const isWithheld =
    isErased(details) || (hasQuotes(details.answer) && states.some((state) => state !== 'available'));
  if (!isWithheld) return { row, details: { ...details, candidates, is_withheld: false } };
  const safe = { ...details, answer: removeQuotes(details.answer) };
  if (states.includes('gone')) await ctx.db.update(traces).set({ details: safe }).where(eq(traces.id, id));
  return { row, details: { ...safe, candidates, is_withheld: true } };
}

export type Passage =
  | { state: 'available'; chunk: StoredChunk }
  | { state: 'gone' }
  | { state: 'unreadable' };

/** Place of a passage in an index. Without a hash, the passage may have another text than when it was found. */
export type PassagePlace = Pick<StoredCandidate, 'chunk_id' | 'document_id' | 'pipeline_id'> & {
  hash?: string;
};

/** Reads at most 100 passages from the indexes of their pipelines. */
export async function readPassages<Place extends PassagePlace>(
  ctx: TenantContext,
  places: readonly Place[],
): Promise<Map<Place, Passage>> {
  const passages = new Map<Place, Passage>();
  const results = places.slice(0, MAX_PASSAGES);
  for (const pipelineId of new Set(results.map(({ pipeline_id }) => pipeline_id))) {
    const own = results.filter(({ pipeline_id }) => pipeline_id === pipelineId);
    const found = await readPipelinePassages(ctx, pipelineId, own);
    for (const [index, candidate] of own.entries()) passages.set(candidate, found[index]!);
  }
  return passages;
}

async function readPipelinePassages(
  ctx: TenantContext,
  pipelineId: string,
  candidates: readonly PassagePlace[],
): Promise<Passage[]> {
  const all = (state: 'gone' | 'unreadable') => candidates.map((): Passage => ({ state }));
  let sink: Sink | undefined;
  try {
    const pipeline = await getPipeline(ctx, pipelineId);
    if (pipeline.status === 'DELETING') return all('gone');
    const [index] = await selectLiveIndex(ctx, pipeline.id);
    sink = index && (await openSink(ctx, index));
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // The pipeline was deleted, or the caller cannot access it.
    return all('unreadable');
  }
  if (!sink) return all('gone');
  const documents = await findMembers(
    ctx,
    pipelineId,
    candidates.map(({ document_id }) => document_id),
  );
  return inParallel(candidates, async ({ chunk_id, document_id, hash }): Promise<Passage> => {
    const chunk = documents.has(document_id) ? await sink.chunk(chunk_id) : undefined;
    const isSame = chunk?.documentId === document_id && (hash === undefined || chunk.hash === hash);
    return isSame ? { state: 'available', chunk } : { state: 'gone' };
  });
}

/** Deletes a trace that the caller may see, with its feedback. */
export async function deleteTrace(ctx: TenantContext, id: string): Promise<void> {
  await requireTrace(ctx, id);
  await ctx.db.delete(traces).where(eq(traces.id, id));
}
