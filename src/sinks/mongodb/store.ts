import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { createMongoConnection, type MongoConnection, type MongoSettings } from './connection.ts';
import { createError } from './failure.ts';
import { ensureIndexes, type SearchIndexes } from './search-indexes.ts';

/** Limits per batch, far below MongoDB's limits of 48 MB per message and 16 MB per document. */
const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };
/**
 * Number of candidates that a vector search considers. MongoDB recommends twenty times the number of results,
 * and allows at most 10,000.
 */
const CANDIDATES = { factor: 20, least: 200, most: 10_000 };
/** Share of the store's time limit that may be spent waiting until an index can be searched. */
const BUILD_TIME_SHARE = 0.5;

const found = z.object({
  document_id: z.string(),
  version: z.number(),
  position: z.number(),
  score: z.number(),
});

const SHOWN = { _id: 0, document_id: 1, version: 1, position: 1, score: { $meta: 'vectorSearchScore' } };

interface Stored {
  _id: string;
  [field: string]: unknown;
}

export function getIndexNames({ vector_index_name, fulltext_index_name }: MongoSettings): SearchIndexes {
  return { vector: vector_index_name || 'vector_index', text: fulltext_index_name || undefined };
}

/** Stores the points of one index as documents of a MongoDB collection, which several indexes may share. */
export class MongoStore implements VectorStore {
  readonly limits = LIMITS;
  readonly #settings: MongoSettings;
  readonly #indexId: string;
  readonly #connection: MongoConnection;
  readonly #buildSeconds: number;
  readonly #indexFilter: { sluice_index: string };
  #ensured: number | undefined;

  constructor(settings: MongoSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#connection = createMongoConnection(settings, deps);
    this.#buildSeconds = BUILD_TIME_SHARE * deps.settings.SILENCE_SECONDS;
    this.#indexFilter = { sluice_index: deps.indexId };
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    const { embedding_dimension: declared, collection_name: name } = this.#settings;
    if (declared && declared !== dimension) {
      throw createError(
        `embedding_dimension is ${declared}, but the embedding model returns ${dimension} dimensions. Change embedding_dimension or embedding_config.`,
      );
    }
    await this.#connection.run('the creation of its indexes', (db) =>
      ensureIndexes(db, name, getIndexNames(this.#settings), dimension, this.#buildSeconds),
    );
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    const { Binary } = await import('mongodb');
    const operations = points.map((point) => ({
      replaceOne: {
        filter: { _id: point.id },
        replacement: {
          ...toMongoDocument(this.#indexId, point),
          embedding: Binary.fromFloat32Array(point.vector),
        },
        upsert: true,
      },
    }));
    await this.#write('a write', operations);
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const filter = { ...this.#indexFilter, document_id: documentId };
    const update = { $set: { title, metadata: toStorable(metadata) } };
    await this.#write('an update', [{ updateMany: { filter, update } }]);
  }

  async remove(removals: Removal[]): Promise<void> {
    const operations = [...groupByVersion(removals)].map(([version, documentIds]) => {
      const filter = { ...this.#indexFilter, document_id: { $in: documentIds }, version: { $lte: version } };
      return { deleteMany: { filter } };
    });
    if (operations.length > 0) await this.#write('a delete', operations);
  }

  isFilterable(): boolean {
    return false;
  }

  async query(vector: Float32Array, topK: number, { documentIds }: SearchScope = {}): Promise<FoundPoint[]> {
    const { Binary } = await import('mongodb');
    const stage = {
      index: getIndexNames(this.#settings).vector,
      path: 'embedding',
      queryVector: Binary.fromFloat32Array(vector),
      numCandidates: Math.min(CANDIDATES.most, Math.max(CANDIDATES.least, topK * CANDIDATES.factor)),
      limit: Math.min(CANDIDATES.most, topK),
      filter: { ...this.#indexFilter, ...(documentIds && { document_id: { $in: documentIds } }) },
    };
    const pipeline = [{ $vectorSearch: stage }, { $project: SHOWN }];
    return this.#connection.run('a search', async (db) => {
      const points: FoundPoint[] = [];
      // The batch size exceeds the number of results, so that one response contains all of them.
      const cursor = this.#collection(db).aggregate(pipeline, { batchSize: stage.limit + 1 });
      for await (const each of cursor) {
        const { data } = found.safeParse(each);
        if (data) points.push(toFoundPoint(data));
        if (points.length === stage.limit) break;
      }
      return points;
    });
  }

  lookUp(points: PointName[]): Promise<Set<string>> {
    const filter = { ...this.#indexFilter, _id: { $in: points.map(({ id }) => id) } };
    return this.#connection.run('a lookup of points', async (db) => {
      const options = { projection: { _id: 1 }, batchSize: points.length + 1 };
      const existing = await this.#collection(db).find(filter, options).toArray();
      return new Set(existing.map(({ _id }) => _id));
    });
  }

  async drop(): Promise<void> {
    await this.#write('a delete', [{ deleteMany: { filter: this.#indexFilter } }]);
  }

  #collection(db: Db): Collection<Stored> {
    return db.collection<Stored>(this.#settings.collection_name);
  }

  async #write(what: string, operations: AnyBulkWriteOperation<Stored>[]): Promise<void> {
    await this.#connection.run(what, (db) => this.#collection(db).bulkWrite(operations, { ordered: false }));
  }
}

/** Converts a search result to a point. MongoDB's score is (1 + cosine) / 2. */
function toFoundPoint({ document_id, version, position, score }: z.output<typeof found>): FoundPoint {
  return { documentId: document_id, version, position, score: 2 * score - 1 };
}

function toMongoDocument(indexId: string, point: VectorPoint) {
  return {
    _id: point.id,
    sluice_index: indexId,
    document_id: point.documentId,
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    title: point.title,
    text: point.text,
    metadata: toStorable(point.metadata),
    pages: toStorable(point.pages),
  };
}

/**
 * Converts metadata to field names that MongoDB accepts. A leading $ and NUL characters are replaced by
 * similar characters. The result is a Map, in which names such as `__proto__` have no special meaning.
 */
function toStorable(metadata: Metadata): Map<string, unknown> {
  return new Map(
    Object.entries(metadata).map(([name, value]) => [name.replace(/^\$/, '＄').replaceAll('\0', '␀'), value]),
  );
}
