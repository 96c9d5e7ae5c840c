import type { IndexedDocument, Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { Lookup, PreFilter } from './pre-filter.ts';

/** Name of a point in a store. A point represents one chunk of one version of a document. */
export interface PointName {
  id: string;
  documentId: string;
  version: number;
  position: number;
}

/**
 * Chunk as an external vector store holds it. Sluice's index keeps the texts itself. The fields besides the
 * vector serve filters, lookups and the owner of the store.
 */
export interface VectorPoint extends PointName {
  nodeId: string;
  text: string;
  title: string;
  metadata: Metadata;
  /** Pages that the chunk covers, as they appear in the metadata of search results. */
  pages: Metadata;
  vector: Float32Array;
}

/** Point that a search found near the query vector. `score` is its cosine similarity. */
export interface FoundPoint {
  documentId: string;
  version: number;
  position: number;
  score: number;
}

export type Description = Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>;

/** Limits a search to some points of the index. At most one of the two fields is set. */
export interface SearchScope {
  documentIds?: string[];
  /**
   * Only points whose document metadata matches the pre-filter are searched. The store may accept more
   * points, but never fewer.
   */
  preFilter?: PreFilter;
}

/**
 * External vector store, which finds the vectors nearest to a query. Sluice's index decides which of them are
 * visible, so outdated points in the store never cause wrong results. Every method may be repeated with the
 * same arguments. It rejects with SinkError if the store refuses the request or fails.
 */
export interface VectorStore {
  readonly limits: {
    /** Maximum number of points and maximum bytes of their content in one `upsert` call. */
    points: number;
    bytes: number;
    /** Largest `topK` for which `query` returns all results. Absent if there is no limit. */
    largestPage?: number;
    lookedUp: number;
    /**
     * Time in seconds after which `lookUp` finds a written point for certain. Absent for stores that show
     * every write immediately.
     */
    shownAfter?: number;
  };
  /** Creates missing collections for vectors of the given dimension, like `SinkStore.ensure`. */
  ensure(dimension: number): Promise<void>;
  /** Writes points. When the returned promise resolves, `query` can find the points. */
  upsert(points: VectorPoint[]): Promise<void>;
  describe(document: Description): Promise<void>;
  /** Deletes all points of the given documents, up to and including the given versions. */
  remove(removals: Removal[]): Promise<void>;
  /** Returns whether a pre-filter may compare a metadata key in the given way. */
  isFilterable(key: string, how: Lookup): boolean;
  /**
   * Returns the ids of those given points that the store holds, with one request. If the collection is
   * missing, the result is empty.
   */
  lookUp(points: PointName[]): Promise<Set<string>>;
  query(vector: Float32Array, topK: number, scope?: SearchScope): Promise<FoundPoint[]>;
  /** Deletes all points of the index. Points of other indexes in the same collection are kept. */
  drop(): Promise<void>;
}
