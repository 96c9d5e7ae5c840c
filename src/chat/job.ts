import type { LanguageModel } from 'ai';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { RankedChunk, Retrieval } from '#src/retrieval/index.ts';
import type { GenerationSettings, LanguageModelParameters, Turn } from './input.ts';
import type { Citation, Source } from './sources.ts';

/** One question of a conversation with everything that its answer needs. */
export interface ChatJob {
  turns: Turn[];
  retrieve(question: string): Promise<Found>;
  /**
   * Returns where each chunk is printed, in the order of the chunks. A chunk from a plain text has no boxes.
   */
  findBoxes?(chunks: readonly FoundChunk[]): Promise<PrintedBox[][]>;
  /** Undefined if the built-in extractive answerer is used. */
  model: LanguageModel | undefined;
  parameters: LanguageModelParameters;
  generation?: GenerationSettings;
  /** Metadata keys that must not be sent to a model. */
  excludedKeys: readonly string[];
  /** Fields of the request that have no effect on this answer. */
  warnings: Warning[];
  messageId: string;
  /** Ids of the session and the question, as metadata of the answer. Empty if nothing is stored. */
  sessionMetadata: Record<string, string>;
  requestId: string;
  /** Called with the finished answer before the stream ends. */
  onEnd?(answer: ChatAnswer): Promise<void>;
  onError(error: unknown): void;
}

/** Printed line: the 0-based index of its page, and its box in points from the top left corner. */
export interface PrintedBox {
  page_index: number;
  page_width: number;
  page_height: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Chunk with the pipeline and the file that contain it. */
export interface FoundChunk extends RankedChunk {
  /** Pipeline that contains the chunk. For a playground this is the managed pipeline. */
  pipelineId: string;
  /** Name of the pipeline in the retriever. Undefined if no retriever was searched. */
  pipelineName?: string;
  /** Null if the chunk belongs to a document that is not a file. */
  fileId: string | null;
}

export interface Found extends Omit<Retrieval, 'chunks'> {
  chunks: FoundChunk[];
}

/**
 * A finished answer. The status is `aborted` if nobody waited for the answer any more, and `cut` if the model
 * stopped before its end.
 */
export interface ChatAnswer {
  status: 'complete' | 'cut' | 'failed' | 'aborted';
  /** The text that was generated before the answer ended. */
  text: string;
  /** Empty if the answer ended before the search was finished. */
  sources: Source[];
  citations: Citation[];
  /** Merged metadata from the start and the end of the answer. */
  metadata: Record<string, unknown>;
}
