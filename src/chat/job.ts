import type { LanguageModel } from 'ai';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { RankedChunk, Retrieval } from '#src/retrieval/index.ts';
import type { TraceAnswer, TraceCandidate, TraceDraft, TraceMessage } from '#src/services/traces/draft.ts';
import type { GenerationSettings, LanguageModelParameters, Turn } from './input.ts';
import type { ModelRequest } from './model-request.ts';
import type { Citation, Source } from './sources.ts';

/** One question of a conversation, with everything that is needed to answer it. */
export interface ChatJob {
  turns: Turn[];
  retrieve(question: string): Promise<Found>;
  /**
   * Returns the printed lines of each chunk as boxes, in the order of the chunks. Chunks of plain texts have
   * no boxes. A chunk may be reduced to one of its sentences.
   */
  findBoxes?(chunks: readonly FoundChunk[]): Promise<PrintedBox[][]>;
  /** Language model that writes the answer. Undefined if built-in code answers by quoting sentences. */
  model: LanguageModel | undefined;
  parameters: LanguageModelParameters;
  generation?: GenerationSettings;
  /** Tools, format or task of a client. Absent if the client asks for an answer in plain text. */
  request?: ModelRequest;
  /** Metadata keys that must not be sent to a model. */
  excludedKeys: readonly string[];
  /** Warnings about request fields that have no effect on this answer. */
  warnings: Warning[];
  messageId: string;
  /**
   * Ids of the session, the question and the trace for the metadata of the answer. Ids of what is not stored are
   * absent.
   */
  sessionMetadata: Record<string, string>;
  requestId: string;
  /** Called with the finished answer before the response stream ends. */
  onEnd?(answer: ChatAnswer): Promise<void>;
  onError(error: unknown): void;
  /** Receives the trace of the ended answer. Absent if no trace is recorded. */
  onTrace?(trace: AnswerTrace): void;
}

/** Prompt of a language model as a trace shows it. */
export interface TracedPrompt {
  messages: TraceMessage[];
  /** Number of passages that the model received. */
  passageCount: number;
}

/** What is known about an ended answer, for its trace. */
export interface AnswerTrace
  extends Pick<
    TraceDraft,
    'startedAt' | 'durationMs' | 'question' | 'inferredFilters' | 'candidates' | 'notes' | 'latency' | 'error'
  > {
  answer: TraceAnswer;
}

/** Box of a printed line in points from the top left corner of the page. `page_index` is 0-based. */
export interface PrintedBox {
  page_index: number;
  page_width: number;
  page_height: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Retrieved chunk with the ids of its pipeline and file. */
export interface FoundChunk extends RankedChunk {
  /**
   * Id of the pipeline that contains the chunk. For a playground, this is the pipeline whose index the
   * playground searches.
   */
  pipelineId: string;
  /** Name of the chunk's pipeline in the retriever. Undefined if a single pipeline was searched. */
  pipelineName?: string;
  /** Id of the chunk's file. Null if the chunk belongs to a text document. */
  fileId: string | null;
}

export interface Found extends Omit<Retrieval, 'chunks' | 'candidates'> {
  chunks: FoundChunk[];
  /** All chunks that the search considered, if a trace is recorded. */
  considered?: TraceCandidate[];
}

/**
 * Answer that has ended. The status is `aborted` if no reader waited any more, and `cut` if the model stopped
 * too early.
 */
export interface ChatAnswer {
  status: 'complete' | 'cut' | 'failed' | 'aborted';
  /** Text that was generated until the answer ended, even if incomplete. */
  text: string;
  /** Retrieved sources. Empty if the answer ended before the search was finished. */
  sources: Source[];
  citations: Citation[];
  /** Tokens that the language model used. Absent without a language model. */
  usage?: { input?: number | undefined; output?: number | undefined };
  /** Metadata that was sent at the start and the end of the answer. */
  metadata: Record<string, unknown>;
}
