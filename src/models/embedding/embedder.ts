import type { Settings } from '#src/env.ts';

/** Turns texts into vectors of one length. Drivers batch, retry and respect the provider's limits. */
export interface Embedder {
  /** Names the vector space: vectors of two embedders compare only when these are equal. */
  readonly modelId: string;
  readonly dimension: number;
  /** One vector per text, in order, each of length `dimension` and of unit length. */
  embed(texts: string[], purpose: 'document' | 'query'): Promise<Float32Array[]>;
}

export interface EmbeddingConfig {
  type: string;
  component: Record<string, unknown>;
}

/** Opens a provider's embedder. `component` has been validated and its secrets opened. */
export type EmbedderDriver = (component: Record<string, unknown>, settings: Settings) => Embedder;
