import type { LanguageModel } from 'ai';
import type { Warning } from '#src/lib/effect.ts';
import type { Retrieval } from '#src/retrieval/index.ts';
import type { LanguageModelParameters, Turn } from './input.ts';

/** One question of a conversation, with all that its answer needs. */
export interface ChatJob {
  turns: Turn[];
  /** Searches for what the question is about. */
  retrieve(question: string): Promise<Retrieval>;
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

/** What became of an answer: `aborted` when nobody waits for it any more. */
export interface ChatAnswer {
  status: 'complete' | 'failed' | 'aborted';
  /** As much of it as was said. */
  text: string;
  /** Undefined when it ended before anything was found. */
  retrieval: Retrieval | undefined;
}
