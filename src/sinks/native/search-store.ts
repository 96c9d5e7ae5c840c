import type {
  IndexedChunk,
  IndexedDocument,
  SearchHit,
  SinkQuery,
  StoredChunk,
} from '#src/ports/index-types.ts';
import type { Removal, TermStatistics } from '#src/ports/shard.ts';
import type { SinkStats } from '#src/ports/sink.ts';
import type { AnalysedChunk } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import type { TermWeights } from '#src/search/term-weights.ts';
import type { Description } from '#src/sinks/external/vector-store.ts';

/** Chunk as a search store receives it: with the id of its row and with the terms by which it is found. */
export interface SearchChunk extends IndexedChunk {
  rowId: string;
  analysed: AnalysedChunk;
}

/** Version of a document that is to become the visible one. */
export interface NewVersion {
  document: IndexedDocument;
  /** Chunks that were not staged before. */
  chunks: SearchChunk[];
  /** Number of chunks that the whole version has. */
  chunkCount: number;
}

/**
 * Result of publishing one version. `outdated` means that the version was removed or replaced by a newer one.
 * `incomplete` means that chunks of the version are missing, so that nothing changed.
 */
export type PublishResult = 'published' | 'outdated' | 'incomplete';

/** Words of a query. The store counts the terms, and the caller turns the counts into weights. */
export interface QueryText {
  topK: number;
  /** Returns the terms that the query has in these languages. */
  listTerms(languages: LanguageCode[]): string[];
  weigh(statistics: TermStatistics): TermWeights;
  /**
   * Weighs the terms for a store that multiplies them by the inverse document frequency itself. `chunks` has the number of
   * chunks by language.
   */
  weighByLanguage(chunks: ReadonlyMap<string, number>): TermWeights;
}

export interface SearchRequest extends Pick<SinkQuery, 'filters' | 'disabled' | 'chunkMetadata'> {
  dense?: { vector: Float32Array; topK: number };
  sparse?: QueryText;
}

/** Results of both arms and the found chunks, which all come from one state of the store. */
export interface SearchResult {
  dense: SearchHit[];
  sparse: SearchHit[];
  chunks: StoredChunk[];
  /** Counts of the query's terms. Absent if the request has no words. */
  statistics?: TermStatistics;
}

/** Visible version of a document in a store, with its number of chunks, and the tombstone of the document. */
export interface StoredVersion {
  documentId: string;
  version: number | null;
  chunks: number;
  /** Highest version that was removed, or -1. */
  removed: number;
}

/** Analyses the words of a stored chunk again, because the title of its document has changed. */
export type AnalyseStored = (
  chunk: Pick<StoredChunk, 'text' | 'headings' | 'language'>,
  keywords: string,
) => AnalysedChunk;

/**
 * External store that carries the whole search of an index: texts, metadata, versions, words and vectors.
 * There are no shards beside it. Every method may be repeated with the same arguments. A call that changes
 * something is complete when its promise resolves: no later search finds what was removed or replaced.
 */
export interface SearchStore {
  /** Creates what is missing in the store, like `SinkStore.ensure`. */
  ensure(dimension: number): Promise<void>;
  /** Writes chunks of a version that searches do not see yet. Chunks of outdated versions are ignored. */
  stage(document: IndexedDocument, chunks: SearchChunk[]): Promise<void>;
  /** Writes the last chunks of versions and makes the versions visible, in one transaction. */
  publish(versions: NewVersion[]): Promise<PublishResult[]>;
  describe(document: Description, analyse: AnalyseStored): Promise<void>;
  /** Removes documents up to and including the given versions, and records tombstones. */
  remove(removals: Removal[]): Promise<void>;
  search(request: SearchRequest): Promise<SearchResult>;
  listChunks(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]>;
  chunk(id: string): Promise<StoredChunk | undefined>;
  stats(): Promise<SinkStats>;
  findVersions(documentIds: string[]): Promise<StoredVersion[]>;
  /** Removes counts of words that no chunk contains any more. */
  tidy(): Promise<void>;
  /** Deletes all data of the index. Other indexes in the same place are kept. */
  drop(): Promise<void>;
}
