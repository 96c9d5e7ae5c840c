import type { TraceSettings } from '#src/db/schema/index.ts';
import { hideNumber } from '#src/db/trace-quotes.ts';
import { currentTrace } from '#src/lib/trace.ts';
import type { Filter, Filters } from '#src/ports/index-types.ts';
import { type MetadataFilters, toFilters } from '#src/retrieval-contract/filter-schema.ts';
import { matches } from '#src/search/filters.ts';
import type { TraceAnswer, TraceCandidate, TraceDraft } from './draft.ts';

/** Maximum size of the stored details in characters of JSON. */
const MAX_CHARACTERS = 128 * 1024;
/** Length to which texts are cut if the details are too large. */
const CUT_CHARACTERS = 4_000;
export const MAX_QUESTION_CHARACTERS = 8_000;

/** Notes of a retrieval that repeat the question. The details have members of their own for them. */
const QUESTION_NOTES = new Set(['searched_for', 'searched_parts']);

/** Notes with reasons of failures, which may quote what another system has answered. */
const MAY_QUOTE = /_(?:failed|fallback|model)$|^(?:warning|pipelines)$/;

/** Details of a trace as they are stored and shown. A text is null if it was not recorded. */
export interface TraceDetails extends Record<string, unknown> {
  /** Trace id of W3C Trace Context, which logs contain. */
  w3c_trace_id: string | null;
  has_text: boolean;
  /** Whether a passage matched `redact_where`, so that no prompt and no answer were recorded. */
  is_redacted: boolean;
  is_truncated: boolean;
  question_characters: number;
  filters: ShownFilters | null;
  inferred_filters: ShownFilters | null;
  parameters: Record<string, unknown>;
  candidates: StoredCandidate[];
  notes: Record<string, string>;
  latency: Record<string, number>;
  answer: StoredAnswer | null;
  error: { code: string; message: string | null } | null;
}

export interface StoredCandidate {
  chunk_id: string;
  document_id: string;
  pipeline_id: string;
  hash: string;
  start_char: number;
  end_char: number;
  rank_before: number;
  rank_after: number | null;
  fused: number;
  dense: number | null;
  sparse: number | null;
  rerank: number | null;
  is_redacted: boolean;
}

export interface StoredAnswer {
  status: TraceAnswer['status'];
  model: string;
  finish_reason: string | null;
  text: string | null;
  characters: number;
  condensed_question: string | null;
  searched_parts: string[] | null;
  messages: { role: string; text: string | null; characters: number }[];
  passage_count: number;
  input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
  citations: { citation: number; chunk_id: string }[];
  removed_citations: {
    citation: number;
    chunk_id: string | null;
    reason: string;
    statement: string | null;
  }[];
  timings: Record<string, number>;
}

/** Filter without its value if texts are not recorded. */
type ShownFilters = { condition: string; filters: (ShownFilters | Partial<Filter>)[] };

export type DetailSettings = Pick<TraceSettings, 'recordText' | 'redactWhere'>;

/**
 * Builds what is stored of a retrieval or answer. Texts of passages are never included. Other texts are included only
 * if the project records texts, and texts that may quote passages only if no passage matches `redact_where`.
 */
export function buildDetails(
  draft: TraceDraft,
  settings: DetailSettings,
  cost: number | undefined,
): TraceDetails {
  const { recordText } = settings;
  const redacts = createRedaction(settings);
  const candidates = draft.candidates.map((each) => toStoredCandidate(each, redacts(each)));
  const isRedacted = candidates.some(({ rank_after, is_redacted }) => rank_after !== null && is_redacted);
  const { answer, error } = draft;
  const details: TraceDetails = {
    w3c_trace_id: currentTrace()?.traceId ?? null,
    has_text: recordText,
    is_redacted: isRedacted,
    is_truncated: draft.question.length > MAX_QUESTION_CHARACTERS,
    question_characters: draft.question.length,
    filters: draft.filters ? showFilters(draft.filters, recordText) : null,
    inferred_filters: draft.inferredFilters ? showFilters(draft.inferredFilters, recordText) : null,
    parameters: draft.parameters ?? {},
    candidates,
    notes: selectNotes(draft.notes, recordText),
    latency: draft.latency,
    answer: answer ? buildAnswer(answer, recordText, isRedacted, cost) : null,
    error: error ? { code: error.code, message: recordText && !isRedacted ? error.message : null } : null,
  };
  return limitSize(details);
}

/** Returns a function that says whether a passage matches `redact_where`. */
function createRedaction({ redactWhere }: DetailSettings): (candidate: TraceCandidate) => boolean {
  if (!redactWhere) return () => false;
  const filters = toFilters(redactWhere as unknown as MetadataFilters);
  return ({ metadata }) => filters.filters.length > 0 && matches(metadata, filters);
}

const toStoredCandidate = (each: TraceCandidate, isRedacted: boolean): StoredCandidate => ({
  chunk_id: each.chunkId,
  document_id: each.documentId,
  pipeline_id: each.pipelineId,
  hash: each.hash,
  start_char: each.startChar,
  end_char: each.endChar,
  rank_before: each.rankBefore,
  rank_after: each.rankAfter,
  fused: each.fused,
  dense: each.dense,
  sparse: each.sparse,
  rerank: each.rerank,
  is_redacted: isRedacted,
});

function buildAnswer(
  answer: TraceAnswer,
  hasText: boolean,
  isRedacted: boolean,
  cost: number | undefined,
): StoredAnswer {
  const mayQuote = hasText && !isRedacted;
  return {
    status: answer.status,
    model: answer.model,
    finish_reason: answer.finishReason ?? null,
    text: mayQuote ? answer.text : null,
    characters: answer.text.length,
    condensed_question: mayQuote ? (answer.condensed ?? null) : null,
    searched_parts: mayQuote ? (answer.searchedParts ?? null) : null,
    messages: answer.messages.map((message) => ({
      role: message.role,
      text: mayQuote && !message.mayQuote ? message.text : null,
      characters: message.text.length,
    })),
    passage_count: answer.passageCount,
    input_tokens: answer.inputTokens ?? null,
    output_tokens: answer.outputTokens ?? null,
    cost: cost ?? null,
    citations: answer.citations.map(({ number, chunkId }) => ({ citation: number, chunk_id: chunkId })),
    removed_citations: answer.dropped.map(({ number, chunkId, statement, reason }) => ({
      citation: number,
      chunk_id: chunkId,
      // The reason may name a number of the statement.
      reason: mayQuote ? reason : hideNumber(reason),
      statement: mayQuote ? statement : null,
    })),
    timings: answer.timings,
  };
}

function showFilters({ condition, filters }: Filters, withValues: boolean): ShownFilters {
  return {
    condition,
    filters: filters.map((part) => {
      if ('filters' in part) return showFilters(part, withValues);
      return withValues ? part : { key: part.key, operator: part.operator };
    }),
  };
}

/** Leaves out notes that repeat the question, and without `hasText` also those that may quote texts. */
function selectNotes(notes: Record<string, string>, hasText: boolean): Record<string, string> {
  const shown = Object.entries(notes).filter(
    ([key]) => !QUESTION_NOTES.has(key) && (hasText || !MAY_QUOTE.test(key)),
  );
  return Object.fromEntries(shown);
}

/** Shortens details that are too large: first candidates that are no results, then texts. */
function limitSize(details: TraceDetails): TraceDetails {
  if (JSON.stringify(details).length <= MAX_CHARACTERS) return details;
  const cut = (text: string | null) => text?.slice(0, CUT_CHARACTERS) ?? null;
  const { answer } = details;
  const smaller: TraceDetails = {
    ...details,
    is_truncated: true,
    candidates: details.candidates.filter(({ rank_after }) => rank_after !== null),
    notes: Object.fromEntries(Object.entries(details.notes).map(([key, value]) => [key, cut(value)!])),
    answer: answer && {
      ...answer,
      text: cut(answer.text),
      messages: answer.messages.slice(-10).map((message) => ({ ...message, text: cut(message.text) })),
      removed_citations: answer.removed_citations.slice(0, 50),
    },
  };
  if (JSON.stringify(smaller).length <= MAX_CHARACTERS) return smaller;
  return {
    ...smaller,
    filters: null,
    inferred_filters: null,
    parameters: {},
    notes: {},
    candidates: smaller.candidates.slice(0, 100),
    answer: smaller.answer && {
      ...smaller.answer,
      messages: [],
      removed_citations: [],
      citations: smaller.answer.citations.slice(0, 100),
      searched_parts: null,
    },
  };
}
