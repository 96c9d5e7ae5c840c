import { Upstream } from '#src/lib/errors.ts';

/** What a text is embedded for; models may embed a question otherwise than what answers it. */
export type EmbeddingPurpose = 'document' | 'query';

/** Turns texts into vectors of one length. Drivers batch, retry and respect the provider's limits. */
export interface Embedder {
  /** Names the vector space: vectors of two embedders compare only when these are equal. */
  readonly modelId: string;
  /** 0 while the model has not said it yet. */
  readonly dimension: number;
  /**
   * One vector per text, in order, each of length `dimension` and of unit length. Rejects with a DomainError, or
   * with the signal's reason; a caller never gets a part of the vectors.
   */
  embed(texts: string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>;
}

export interface EmbeddingConfig {
  type: string;
  component: Record<string, unknown>;
  /** Of the managed type, where an index keeps the configuration: the model that it stood for. */
  standsFor?: string;
}

/**
 * How providers refuse a call for what it carries: too many texts, too many tokens, one text that is too long. Some say
 * 413, others 400 or 422 as for any mistake, and each in words of its own, which are not read: a call that was refused
 * for another reason is refused in halves as well, down to one text.
 */
const REFUSALS = new Set([413, 400, 422]);

/** Whether a call was refused for what it carries, as far as the answer tells. */
export const refusesTexts = (error: unknown): error is Upstream =>
  error instanceof Upstream && !error.retryable && error.status !== undefined && REFUSALS.has(error.status);
