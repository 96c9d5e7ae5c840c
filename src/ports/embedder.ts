import { Upstream } from '#src/lib/errors.ts';
import type { SparseVector } from './index-types.ts';

/** Purpose of an embedding. Some models embed search queries differently from documents. */
export type EmbeddingPurpose = 'document' | 'query';

/**
 * Embedding model. Its drivers divide texts into batches, retry failed calls, and respect the limits of the
 * provider.
 */
export interface Embedder {
  /**
   * Identifies the model and its vector space. Vectors of two embedders are comparable only if their
   * `modelId` is equal.
   */
  readonly modelId: string;
  /** Number of components of each vector. 0 until the model has returned its first vector. */
  readonly dimension: number;
  /**
   * Embeds texts and returns one vector per text, in order. Each vector has `dimension` components and unit
   * length. Rejects with a DomainError, or with the signal's reason if the call is aborted. Either all
   * vectors are returned or none.
   */
  embed(texts: string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>;
}

/** Learned sparse model. It weighs the terms of its vocabulary for a text, including terms that the text lacks. */
export interface SparseEmbedder {
  /** Identifies the model and its vocabulary. Weights of two models are comparable only if their ids are equal. */
  readonly modelId: string;
  /**
   * Returns the weights for each text, in order. Rejects with a DomainError, or with the signal's reason if the call
   * is aborted.
   */
  embed(texts: string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<SparseVector[]>;
}

export interface EmbeddingConfig {
  type: string;
  component: Record<string, unknown>;
  /** Name of the model that the managed embedding type used when the index was configured. */
  standsFor?: string;
}

/**
 * HTTP statuses with which providers may reject a call that is too large. The call may have too many texts,
 * too many tokens, or one text that is too long. Some of these statuses also have other causes. A rejected
 * call is therefore split in halves and retried, down to a single text.
 */
const TOO_LARGE_STATUSES = new Set([413, 400, 422]);

export const isTooLargeRefusal = (error: unknown): error is Upstream =>
  error instanceof Upstream &&
  !error.retryable &&
  error.status !== undefined &&
  TOO_LARGE_STATUSES.has(error.status);
