import type { LanguageModel } from 'ai';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { RankedChunk, Retrieval } from '#src/retrieval/index.ts';
import type { GenerationSettings, LanguageModelParameters, Turn } from './input.ts';
import type { Citation, Source } from './sources.ts';

/** One question of a conversation, with all that its answer needs. */
export interface ChatJob {
  turns: Turn[];
  /** Searches for what the question is about. */
  retrieve(question: string): Promise<Found>;
  /** Where each of the chunks is printed, in their order; none for texts, which have no print. */
  placesOf?(chunks: readonly FoundChunk[]): Promise<PrintedBox[][]>;
  /** Absent: the built-in extractive answerer. */
  model: LanguageModel | undefined;
  parameters: LanguageModelParameters;
  generation?: GenerationSettings;
  /** Metadata keys that a model must not see. */
  excludedKeys: readonly string[];
  /** What of the request changes nothing in this answer. */
  warnings: Warning[];
  /** What the answer will be known as. */
  messageId: string;
  /** Where question and answer are kept, by names of the answer's metadata; empty: nowhere. */
  kept: Record<string, string>;
  requestId: string;
  /** Before the stream says that it is at its end. */
  onEnd?(answer: ChatAnswer): Promise<void>;
  onError(error: unknown): void;
}

/** A line of print: its page, by index from 0, and its box there, in points from the top left. */
export interface PrintedBox {
  page_index: number;
  page_width: number;
  page_height: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A chunk, and where to find it again. */
export interface FoundChunk extends RankedChunk {
  /** The pipeline that has it; of a playground the managed one. */
  pipelineId: string;
  /** What the retriever calls that pipeline, where one was asked. */
  pipelineName?: string;
  /** null: it is of a document that is no file. */
  fileId: string | null;
}

export interface Found extends Omit<Retrieval, 'chunks'> {
  chunks: FoundChunk[];
}

/** What became of an answer: `aborted` when nobody waits for it any more, `cut` when the model stopped before its end. */
export interface ChatAnswer {
  status: 'complete' | 'cut' | 'failed' | 'aborted';
  /** As much of it as was said. */
  text: string;
  /** None when it ended before anything was found. */
  sources: Source[];
  citations: Citation[];
  /** What its start and its end said of it. */
  metadata: Record<string, unknown>;
}
