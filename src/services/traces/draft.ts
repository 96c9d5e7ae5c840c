import type { Filters, Metadata } from '#src/ports/index-types.ts';

/** Chunk that a search found, with its scores and its ranks. Its text is not part of a trace. */
export interface TraceCandidate {
  chunkId: string;
  documentId: string;
  /** Pipeline whose index contains the chunk. */
  pipelineId: string;
  /** Hash of the chunk's text. A later chunk with the same id may have another text. */
  hash: string;
  startChar: number;
  endChar: number;
  metadata: Metadata;
  /** Rank before reranking, counted from 1. */
  rankBefore: number;
  /** Rank in the results, counted from 1. Null if the chunk is not among the results. */
  rankAfter: number | null;
  /** Score before reranking. */
  fused: number;
  dense: number | null;
  sparse: number | null;
  rerank: number | null;
}

/** Message of a prompt. Messages whose text may come from documents are recorded without text. */
export interface TraceMessage {
  role: string;
  text: string;
  /** Whether the text may quote documents of earlier answers. */
  mayQuote?: boolean;
}

/** Answer of a chat with the prompt it was written from and the checks of its citations. */
export interface TraceAnswer {
  status: 'complete' | 'cut' | 'failed' | 'aborted';
  model: string;
  text: string;
  finishReason?: string | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  /** Question that was searched, if it differs from the question that was asked. */
  condensed?: string | undefined;
  searchedParts?: string[] | undefined;
  /** Prompt with `{passage n}` in place of the passages. Empty if built-in code answered. */
  messages: TraceMessage[];
  /** Number of results that the model received. */
  passageCount: number;
  citations: { number: number; chunkId: string }[];
  dropped: { number: number; chunkId: string | null; statement: string; reason: string }[];
  /** Seconds after which the search was finished, the first text was written, and the answer ended. */
  timings: Record<string, number>;
  isRefused: boolean;
}

/** Retrieval or answer as it happened, before the settings of the project decide what is stored. */
export interface TraceDraft {
  id: string;
  kind: 'retrieval' | 'chat';
  projectId: string;
  pipelineId: string | null;
  retrieverId: string | null;
  sessionId: string | null;
  userId: string | null;
  keyId: string | null;
  requestId: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  question: string;
  filters?: Filters | undefined;
  inferredFilters?: Filters | undefined;
  /** Retrieval parameters that the request or the preset set. */
  parameters?: Record<string, unknown> | undefined;
  candidates: TraceCandidate[];
  /** Remarks of the retrieval, such as the models and methods that were used. */
  notes: Record<string, string>;
  /** Duration of each stage in seconds. */
  latency: Record<string, number>;
  answer?: TraceAnswer | undefined;
  error?: { code: string; message: string } | undefined;
}
