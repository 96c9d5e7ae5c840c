import { Upstream } from '#src/lib/errors.ts';

/** Purpose of an embedding. Some models embed questions and documents differently. */
export type EmbeddingPurpose = 'document' | 'query';

/** Embedding model. Its drivers split texts into batches, retry, and respect the limits of the provider. */
export interface Embedder {
  /** Name of the vector space. Vectors of two embedders are comparable only if their `modelId` is equal. */
  readonly modelId: string;
  /** Number of components of a vector. 0 until the model has returned its first vector. */
  readonly dimension: number;
  /**
   * Returns one vector per text, in order. Each vector has `dimension` components and unit length. Rejects
   * with a DomainError, or with the reason of the aborted signal. It never returns only a part of the
   * vectors.
   */
  embed(texts: string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>;
}

export interface EmbeddingConfig {
  type: string;
  component: Record<string, unknown>;
  /** Model that the managed embedding type used when the index was configured. */
  standsFor?: string;
}

/**
 * Status codes with which providers refuse a call that is too large: too many texts, too many tokens, or one
 * text that is too long. Some providers answer 413, others 400 or 422, so the status alone does not tell a
 * large call from a wrong one. A refused call is therefore split in halves, down to a single text.
 */
const TOO_LARGE_STATUSES = new Set([413, 400, 422]);

/** Returns whether the status of an error suggests that the call was too large. */
export const isTooLargeRefusal = (error: unknown): error is Upstream =>
  error instanceof Upstream &&
  !error.retryable &&
  error.status !== undefined &&
  TOO_LARGE_STATUSES.has(error.status);
