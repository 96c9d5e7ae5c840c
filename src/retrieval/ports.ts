import type { LanguageModel } from 'ai';
import { DomainError } from '#src/lib/errors.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { Metadata, StoredChunk } from '#src/ports/index-types.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import type { Sink } from '#src/ports/sink.ts';

/** A file or document of the pipeline, described by its name and metadata. */
export interface CatalogEntry {
  documentId: string;
  title: string;
  metadata: Metadata;
  /** Metadata keys that this entry hides from models, in addition to those of the pipeline. */
  hiddenKeys?: readonly string[];
}

/** Dependencies of retrieval. The owner of the pipeline opens them. */
export interface RetrievalPorts {
  sink: Sink;
  embedder: Embedder;
  reranker: Reranker;
  /** Returns `undefined` if the built-in router, file chooser and filter inference should decide. */
  language(use: 'routing' | 'filters'): Promise<LanguageModel | undefined>;
  /** Metadata keys that must not be sent to a model. */
  hiddenKeys: readonly string[];
  /** Returns further hidden keys of individual documents, by document id. */
  readDocumentHiddenKeys(chunks: StoredChunk[]): Promise<Map<string, readonly string[]>>;
  /** Yields everything that is indexed, in batches. */
  catalog(): AsyncIterable<CatalogEntry[]>;
}

export interface RankedChunk {
  chunk: StoredChunk;
  score: number;
  /** Components of the score. Absent for whole files. */
  parts?: ScoreParts;
}

/** A component is null if that search or the reranker did not rank the chunk. */
export interface ScoreParts {
  /** Cosine similarity. */
  dense: number | null;
  sparse: number | null;
  rerank: number | null;
}

/** Collects latencies and notes of a retrieval. */
export interface Report {
  latency: Record<string, number>;
  /** Notes about which implementations answered, and about requests that could not be fulfilled. */
  notes: Record<string, string>;
  timed<T>(stage: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Returns the model for a use. If the model is unavailable, for example because the daily tokens are used up,
 * returns `undefined` and adds a note.
 */
export async function findModel(
  use: 'routing' | 'filters',
  ports: Pick<RetrievalPorts, 'language'>,
  { notes }: Pick<Report, 'notes'>,
): Promise<LanguageModel | undefined> {
  try {
    return await ports.language(use);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    notes[`${use}_model`] = error.message;
    return undefined;
  }
}

export function createReport(): Report {
  const latency: Record<string, number> = {};
  return {
    latency,
    notes: {},
    async timed(stage, work) {
      const start = performance.now();
      try {
        return await work();
      } finally {
        latency[stage] = (latency[stage] ?? 0) + (performance.now() - start) / 1000;
      }
    },
  };
}
