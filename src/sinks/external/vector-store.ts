import type { IndexedDocument, Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { Lookup, PreFilter } from './pre-filter.ts';

/** Name of a point in a store. A point represents one chunk of one version of a document. */
export interface PointName {
  /** UUID that is derived from the index, the document, the version and the position. */
  id: string;
  documentId: string;
  version: number;
  position: number;
}

/**
 * Chunk as an external store holds it. The index keeps the texts itself, so the fields besides the vector
 * only serve filters, lookups and the owner of the store.
 */
export interface VectorPoint extends PointName {
  /** Id of the chunk in API responses. */
  nodeId: string;
  text: string;
  title: string;
  metadata: Metadata;
  /** Pages that the chunk covers, as node metadata. */
  pages: Metadata;
  vector: Float32Array;
}

/** Point near the query vector. `score` is the cosine similarity. */
export interface FoundPoint {
  documentId: string;
  version: number;
  position: number;
  score: number;
}

export type Description = Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>;

/** Limits a query to some points of the index. At most one of the two fields is set. */
export interface SearchScope {
  /** Only points of these documents are searched. */
  documentIds?: string[];
  /**
   * Only points whose document metadata passes are searched. The store may pass more points, but never fewer.
   */
  preFilter?: PreFilter;
}

/**
 * External store of vectors, which finds the nearest ones. The index that Sluice keeps decides which versions
 * are visible and applies filters exactly. A store that shows changes late or keeps deleted points therefore
 * never causes wrong results. Every method may be called twice with the same arguments, and rejects with
 * SinkError if the store refuses the request or fails.
 */
export interface VectorStore {
  readonly limits: {
    /** Limits of one `upsert` call: number of points, and bytes of their content. */
    points: number;
    bytes: number;
    /** Largest `topK` that `query` can answer in full. Absent if there is no limit. */
    largestPage?: number;
    /** Maximum number of points per `lookUp` call. */
    lookedUp: number;
    /**
     * Seconds after which `lookUp` is certain to find a written point. Absent for stores that show every
     * write immediately.
     */
    shownAfter?: number;
  };
  /** Creates the collections for vectors of this dimension if they are missing, like `SinkStore.ensure`. */
  ensure(dimension: number): Promise<void>;
  /** Writes points. When the returned promise resolves, `query` can find them. */
  upsert(points: VectorPoint[]): Promise<void>;
  /** Sets the title and metadata on all points of a document. */
  describe(document: Description): Promise<void>;
  /** Deletes the points of these documents, up to and including the given versions. */
  remove(removals: Removal[]): Promise<void>;
  /** Returns whether a pre-filter may compare this metadata key in this way. */
  isFilterable(key: string, how: Lookup): boolean;
  /**
   * Returns the ids of the points that the store holds, with one request. A missing collection holds none.
   */
  lookUp(points: PointName[]): Promise<Set<string>>;
  query(vector: Float32Array, topK: number, scope?: SearchScope): Promise<FoundPoint[]>;
  /** Deletes all points of the index. Other indexes in the same collection stay. */
  drop(): Promise<void>;
}
