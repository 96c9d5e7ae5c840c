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
