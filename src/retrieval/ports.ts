import type { LanguageModel } from 'ai';
import { DomainError } from '#src/lib/errors.ts';
import type { Embedder, SparseEmbedder } from '#src/ports/embedder.ts';
import type { Metadata, StoredChunk, WordCounts } from '#src/ports/index-types.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import type { Sink } from '#src/ports/sink.ts';

/** A file or document of the pipeline, described by its name and metadata. */
export interface CatalogEntry {
  documentId: string;
  title: string;
  metadata: Metadata;
  /**
   * Metadata keys of this entry that must not be sent to a model, in addition to the hidden keys of the
   * pipeline.
   */
  hiddenKeys?: readonly string[];
}

/** Dependencies of retrieval. The owner of the pipeline opens them. */
export interface RetrievalPorts {
  sink: Sink;
  /** Returns whether a listed chunk is disabled. Searches of the sink leave disabled chunks out themselves. */
  isDisabled?: (chunk: StoredChunk) => boolean;
  /** Adds the metadata that was set for a listed chunk. Searches of the sink add this metadata themselves. */
  addChunkMetadata?: (chunk: StoredChunk) => StoredChunk;
  embedder: Embedder;
  /** Learned sparse model of the index. Undefined if sparse search uses the words of the query. */
  sparse?: SparseEmbedder | undefined;
  reranker: Reranker;
  /**
   * Returns a language model. Returns `undefined` if the built-in router, file chooser and filter inference
   * should decide.
   */
  language(use: 'routing' | 'filters'): Promise<LanguageModel | undefined>;
  /** Metadata keys that must not be sent to a model. */
  hiddenKeys: readonly string[];
  /** Returns the metadata keys that individual documents hide from models, by document id. */
  readDocumentHiddenKeys(chunks: StoredChunk[]): Promise<Map<string, readonly string[]>>;
  /** Yields the name and metadata of every indexed file and document, in batches. */
  catalog(): AsyncIterable<CatalogEntry[]>;
  /** Returns the first `limit` entries of the catalog after an id, ordered by id. */
  firstEntries(page: { after?: string; limit: number }): Promise<CatalogEntry[]>;
}

export interface RankedChunk {
  chunk: StoredChunk;
  score: number;
  /** Scores from the single steps of retrieval. Absent for whole files. */
  parts?: ScoreParts;
}

/**
 * Scores of a chunk from each step. A score is null if dense search, sparse search or the reranker did not
 * rank the chunk.
 */
export interface ScoreParts {
  /** Cosine similarity. */
  dense: number | null;
  sparse: number | null;
  rerank: number | null;
}

/** Collects latencies and notes of a retrieval. */
export interface Report {
  latency: Record<string, number>;
  /** Notes for the caller: which implementations answered, and which requests could not be fulfilled. */
  notes: Record<string, string>;
  /** How many chunks of the index contain the words of the query, if the index counts words. */
  wordCounts?: WordCounts;
  /** Chunks in the order before reranking. Absent if nothing was reranked. */
  candidates?: RankedChunk[];
  timed<T>(stage: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Returns the language model for routing or filters. If it is unavailable, for example because the daily
 * tokens are used up, adds a note and returns `undefined`.
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
