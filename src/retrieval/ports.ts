import type { LanguageModel } from 'ai';
import { DomainError } from '#src/lib/errors.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { Metadata, StoredChunk } from '#src/ports/index-types.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import type { Sink } from '#src/ports/sink.ts';

/** A file or document of the pipeline, as its name and metadata describe it. */
export interface CatalogEntry {
  documentId: string;
  title: string;
  metadata: Metadata;
  /** Keys that this one keeps from models, besides the pipeline's. */
  hiddenKeys?: readonly string[];
}

/** What retrieval works with; opened by whoever owns the pipeline. */
export interface RetrievalPorts {
  sink: Sink;
  embedder: Embedder;
  reranker: Reranker;
  /** Gives undefined where the built-in router, file chooser and filter inference are to decide. */
  language(use: 'routing' | 'filters'): Promise<LanguageModel | undefined>;
  /** Metadata keys that a model must not see. */
  hiddenKeys: readonly string[];
  /** Document -> further keys, of its own. */
  ownHiddenKeys(chunks: StoredChunk[]): Promise<Map<string, readonly string[]>>;
  /** Everything that is indexed, a batch at a time. */
  catalog(): AsyncIterable<CatalogEntry[]>;
}

export interface RankedChunk {
  chunk: StoredChunk;
  score: number;
  /** What the score was made of; absent of whole files. */
  parts?: ScoreParts;
}

/** Null: that part has not found the chunk, or not seen it. */
export interface ScoreParts {
  /** Cosine similarity. */
  dense: number | null;
  /** BM25. */
  sparse: number | null;
  /** As the reranker counts. */
  rerank: number | null;
}

/** Collects what a retrieval tells besides its chunks. */
export interface Report {
  /** Seconds per stage. */
  latency: Record<string, number>;
  /** Which parts answered, and what could not be done as asked. */
  notes: Record<string, string>;
  timed<T>(stage: string, work: () => Promise<T>): Promise<T>;
}

/** The model of a use. One that cannot be had, as when the day's tokens are used up, is none, and the notes say why. */
export async function modelFor(
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

export function newReport(): Report {
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
