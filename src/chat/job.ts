import type { LanguageModel } from 'ai';
import type { Warning } from '#src/lib/effect.ts';
import type { Retrieval } from '#src/retrieval/index.ts';
import type { StoredChunk } from '#src/search/types.ts';
import type { LanguageModelParameters, Turn } from './input.ts';

/** One question of a conversation, with all that its answer needs. */
export interface ChatJob {
  turns: Turn[];
  /** Searches for what the question is about. */
  retrieve(question: string): Promise<Retrieval>;
  /** Where each of the chunks is printed, in their order; none for texts, which have no print. */
  placesOf?(chunks: readonly StoredChunk[]): Promise<PrintedBox[][]>;
  /** Absent: the built-in extractive answerer. */
  model: LanguageModel | undefined;
  parameters: LanguageModelParameters;
  /** Metadata keys that a model must not see. */
  excludedKeys: readonly string[];
  /** What of the request changes nothing in this answer. */
  warnings: Warning[];
  /** What the answer will be known as. */
  messageId: string;
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

/** What became of an answer: `aborted` when nobody waits for it any more. */
export interface ChatAnswer {
  status: 'complete' | 'failed' | 'aborted';
  /** As much of it as was said. */
  text: string;
  /** Undefined when it ended before anything was found. */
  retrieval: Retrieval | undefined;
}
