import type { IndexedDocument, Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { Lookup, Narrowing } from './narrowing.ts';

/** Names one point of a store: a chunk of one version of a document. */
export interface PointName {
  /** A UUID that follows from the index, the document, the version and the position. */
  id: string;
  documentId: string;
  version: number;
  position: number;
}

/** A chunk as an external store holds it. All but the vector is there for the store's owner, and to find it again. */
export interface VectorPoint extends PointName {
  /** The chunk's id, by which answers name it. */
  nodeId: string;
  text: string;
  title: string;
  metadata: Metadata;
  /** The pages that it touches, as nodes show them. */
  pages: Metadata;
  vector: Float32Array;
}

/** A point that is near a vector. `score`: cosine similarity. */
export interface FoundPoint {
  documentId: string;
  version: number;
  position: number;
  score: number;
}

/** A document's new title and metadata. */
export type Description = Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>;

/** Which points a query is about, where not about all of the index: no more than one of the two is there. */
export interface Among {
  /** Points of these documents alone. */
  documentIds?: string[];
  /** Those whose document's metadata passes. The store may pass more, and never less. */
  narrowing?: Narrowing;
}

/**
 * What an external store does for an index: it keeps vectors with what they stand for, and finds the nearest. What
 * queries may see, which version of a document counts and what filters let through is decided by the index that Sluice
 * keeps beside it, so a store that shows a change late, or keeps what it was to delete, shows nobody anything wrong.
 * Every method may be called twice with the same arguments, and throws SinkError when the store refuses or fails.
 */
export interface VectorStore {
  readonly limits: {
    /** The most that one `upsert` may carry: points, and bytes of what they hold. */
    points: number;
    bytes: number;
    /** The largest `topK` that `query` can answer in full; absent: as many as are asked for. */
    largestPage?: number;
    /** The most points that one `lookUp` may name. */
    lookedUp: number;
    /**
     * Seconds after which `lookUp` surely finds a point that was written. Absent for stores that show every write at
     * once.
     */
    shownAfter?: number;
  };
  /** As `SinkStore.ensure`. */
  ensure(dimension: number): Promise<void>;
  /** From the return on `query` finds the points. */
  upsert(points: VectorPoint[]): Promise<void>;
  /** New title and metadata for all points of a document. */
  describe(document: Description): Promise<void>;
  /** Deletes points of these documents: of these versions and of all before them. */
  remove(removals: Removal[]): Promise<void>;
  /** Whether narrowings may ask so about this key of documents' metadata. */
  isFilterable(key: string, how: Lookup): boolean;
  /**
   * Returns the ids of those points that the store holds, by one call of the store. A place that is absent, such as a
   * dropped collection, holds none.
   */
  lookUp(points: PointName[]): Promise<Set<string>>;
  /** The nearest points of the index, best first. */
  query(vector: Float32Array, topK: number, among?: Among): Promise<FoundPoint[]>;
  /** Deletes all points of the index, and of no other index in the same place. */
  drop(): Promise<void>;
}
