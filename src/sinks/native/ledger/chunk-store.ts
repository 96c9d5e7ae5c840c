import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { AnalysedChunk } from '#src/search/analysis.ts';
import type { TermWeights } from '#src/search/term-weights.ts';
import type { Lookup, PreFilter } from '#src/sinks/external/pre-filter.ts';

/** Chunk of one version of a document, as a store keeps and returns it. */
export interface ChunkRecord {
  /** Name of the record in the store. It is a UUID. */
  rowId: string;
  version: number;
  /** Keywords of the document's version, which are needed to analyse the words again if the title changes. */
  keywords: string;
  /** Number of words of text and headings. */
  length: number;
  chunk: Omit<StoredChunk, 'vector'>;
}

/** Words by which a chunk is found. */
export interface ChunkWords {
  analysed: AnalysedChunk;
  /** Mean number of words of the index's chunks, for stores that do not compute it themselves. */
  meanLength: number;
}

export type NewRecord = ChunkRecord & ChunkWords & { vector: Float32Array };

/** Chunk whose document has a new title and new metadata. Its words include the words of the new title. */
export type RecordChange = ChunkRecord & ChunkWords;

/** Record that a search found. The score is the cosine similarity or the score of the words. */
export interface FoundRecord extends ChunkRecord {
  score: number;
}

export interface ChunkSearch {
  dense?: { vector: Float32Array; topK: number };
  /** The store multiplies each weight by the inverse document frequency of its term. */
  sparse?: { weights: TermWeights; topK: number };
  /** Only chunks whose document metadata matches are searched. The store may accept more chunks, but never fewer. */
  preFilter?: PreFilter;
}

/** Results of both arms, from highest to lowest score. */
export interface ChunkSearchResult {
  dense: FoundRecord[];
  sparse: FoundRecord[];
}

/**
 * External store that keeps texts, metadata, words and vectors of an index, but has no transactions. A ledger decides
 * which versions are visible, so the store may have chunks of other versions at any time. Every method may be repeated
 * with the same arguments, and rejects with SinkError if the store refuses the request or fails.
 */
export interface ChunkStore {
  readonly limits: {
    /** Maximum number of records and maximum bytes of their content in one `write` call. */
    points: number;
    bytes: number;
    /** Largest `topK` of a search. */
    largestPage: number;
    lookedUp: number;
  };
  /** Creates what is missing in the store, like `SinkStore.ensure`. */
  ensure(dimension: number): Promise<void>;
  /** Writes records. When the returned promise resolves, all other methods see them. */
  write(records: NewRecord[]): Promise<void>;
  /** Changes title, metadata and words of existing records. Vectors stay, and unknown records are ignored. */
  update(changes: RecordChange[]): Promise<void>;
  /** Returns the given `rowId` values that exist in the store. If the collection is missing, the result is empty. */
  lookUp(rowIds: string[]): Promise<Set<string>>;
  /** Deletes all chunks of the given documents, up to and including the given versions. */
  remove(removals: Removal[]): Promise<void>;
  /** Searches with both arms in one request. */
  search(search: ChunkSearch): Promise<ChunkSearchResult>;
  /** Returns chunks of one version by ascending position, beginning with the position `from`. */
  list(version: { documentId: string; version: number; from: number; limit: number }): Promise<ChunkRecord[]>;
  /** Returns the chunks with this node id, of all versions that the store has. */
  find(nodeId: string): Promise<ChunkRecord[]>;
  /** Returns whether a pre-filter may compare a metadata key in the given way. */
  isFilterable(key: string, how: Lookup): boolean;
  /** Deletes all chunks of the index. Chunks of other indexes in the same place are kept. */
  drop(): Promise<void>;
}
