import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import type {
  Among,
  Description,
  FoundPoint,
  PointName,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { type MongoConnection, type MongoSettings, mongoConnection } from './connection.ts';
import { refused } from './failure.ts';
import { ensureIndexes, type SearchIndexes } from './search-indexes.ts';

/** The vendor takes messages of 48 MB, and documents of 16. */
const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };
/** The vendor advises to look at twenty times as many as are asked for, and looks at no more than these. */
const CANDIDATES = { factor: 20, least: 200, most: 10_000 };
/** Of the time that the store is waited for, what may pass until an index can be searched. */
const PATIENCE = 0.5;

const found = z.object({
  document_id: z.string(),
  version: z.number(),
  position: z.number(),
  /** From 0 to 1. */
  score: z.number(),
});

/** Fields of documents that a query returns. */
const SHOWN = { _id: 0, document_id: 1, version: 1, position: 1, score: { $meta: 'vectorSearchScore' } };

interface Stored {
  _id: string;
  [field: string]: unknown;
}

export function namesOf({ vector_index_name, fulltext_index_name }: MongoSettings): SearchIndexes {
  return { vector: vector_index_name || 'vector_index', text: fulltext_index_name || undefined };
}

/** The points of an index among the documents of a collection. */
export class MongoStore implements VectorStore {
  readonly limits = LIMITS;
  readonly #settings: MongoSettings;
  readonly #indexId: string;
  readonly #connection: MongoConnection;
  /** Seconds that making the indexes may take. */
  readonly #patience: number;
  readonly #ofIndex: { sluice_index: string };
  #ensured: number | undefined;

  constructor(settings: MongoSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#connection = mongoConnection(settings, deps);
    this.#patience = PATIENCE * deps.settings.SILENCE_SECONDS;
    this.#ofIndex = { sluice_index: deps.indexId };
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    const { embedding_dimension: declared, collection_name: name } = this.#settings;
    if (declared && declared !== dimension) {
      throw refused(
        `embedding_dimension is ${declared}, and the embedding model gives ${dimension}: another of the two is needed.`,
      );
    }
    await this.#connection.run('making its indexes', (db) =>
      ensureIndexes(db, name, namesOf(this.#settings), dimension, this.#patience),
    );
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    const { Binary } = await import('mongodb');
    const operations = points.map((point) => ({
      replaceOne: {
        filter: { _id: point.id },
        replacement: {
          ...documentOf(this.#indexId, point),
          embedding: Binary.fromFloat32Array(point.vector),
        },
        upsert: true,
      },
    }));
    await this.#write('a write', operations);
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const filter = { ...this.#ofIndex, document_id: documentId };
    const update = { $set: { title, metadata: storable(metadata) } };
    await this.#write('a description', [{ updateMany: { filter, update } }]);
  }

  async remove(removals: Removal[]): Promise<void> {
    const operations = [...byVersion(removals)].map(([version, documentIds]) => {
      const filter = { ...this.#ofIndex, document_id: { $in: documentIds }, version: { $lte: version } };
      return { deleteMany: { filter } };
    });
    if (operations.length > 0) await this.#write('a delete', operations);
  }

  isFilterable(): boolean {
    return false;
  }

  async query(vector: Float32Array, topK: number, { documentIds }: Among = {}): Promise<FoundPoint[]> {
    const { Binary } = await import('mongodb');
    const stage = {
      index: namesOf(this.#settings).vector,
      path: 'embedding',
      queryVector: Binary.fromFloat32Array(vector),
      numCandidates: Math.min(CANDIDATES.most, Math.max(CANDIDATES.least, topK * CANDIDATES.factor)),
      limit: Math.min(CANDIDATES.most, topK),
      filter: { ...this.#ofIndex, ...(documentIds && { document_id: { $in: documentIds } }) },
    };
    const pipeline = [{ $vectorSearch: stage }, { $project: SHOWN }];
    return this.#connection.run('a search', async (db) => {
      const points: FoundPoint[] = [];
      // The answer comes as one batch. No more points are taken than were asked for, whatever comes.
      const cursor = this.#collection(db).aggregate(pipeline, { batchSize: stage.limit + 1 });
      for await (const each of cursor) {
        const { data } = found.safeParse(each);
        // Documents of somebody else, whatever they look like, are none of ours.
        if (data) points.push(pointOf(data));
        if (points.length === stage.limit) break;
      }
      return points;
    });
  }

  lookUp(points: PointName[]): Promise<Set<string>> {
    const filter = { ...this.#ofIndex, _id: { $in: points.map(({ id }) => id) } };
    return this.#connection.run('a look-up of points', async (db) => {
      const options = { projection: { _id: 1 }, batchSize: points.length + 1 };
      const there = await this.#collection(db).find(filter, options).toArray();
      return new Set(there.map(({ _id }) => _id));
    });
  }

  async drop(): Promise<void> {
    await this.#write('a delete', [{ deleteMany: { filter: this.#ofIndex } }]);
  }

  #collection(db: Db): Collection<Stored> {
    return db.collection<Stored>(this.#settings.collection_name);
  }

  /** Does all of these writes, in any order. `what`: as errors name them. */
  async #write(what: string, operations: AnyBulkWriteOperation<Stored>[]): Promise<void> {
    await this.#connection.run(what, (db) => this.#collection(db).bulkWrite(operations, { ordered: false }));
  }
}

/** The vendor gives (1 + cosine) / 2. */
function pointOf({ document_id, version, position, score }: z.output<typeof found>): FoundPoint {
  return { documentId: document_id, version, position, score: 2 * score - 1 };
}

function documentOf(indexId: string, point: VectorPoint) {
  return {
    _id: point.id,
    sluice_index: indexId,
    document_id: point.documentId,
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    title: point.title,
    text: point.text,
    metadata: storable(point.metadata),
    pages: storable(point.pages),
  };
}

/**
 * Metadata as the store takes them. A name must not start with $ or hold a zero byte: the full-width sign and the sign
 * for the byte stand for these. As a Map no name (`_bsontype`, `__proto__`) means anything to who writes it out.
 */
function storable(metadata: Metadata): Map<string, unknown> {
  return new Map(
    Object.entries(metadata).map(([name, value]) => [name.replace(/^\$/, '＄').replaceAll('\0', '␀'), value]),
  );
}
