import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import type { FoundPoint, VectorPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { type MongoSettings, mongoConnection } from './connection.ts';
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

interface Stored {
  _id: string;
}

export function namesOf({ vector_index_name, fulltext_index_name }: MongoSettings): SearchIndexes {
  return { vector: vector_index_name || 'vector_index', text: fulltext_index_name || undefined };
}

/** The points of an index among the documents of a collection. */
export function mongoStore(settings: MongoSettings, deps: SinkDeps & { indexId: string }): VectorStore {
  const { collection_name: name, embedding_dimension: declared } = settings;
  const connection = mongoConnection(settings, deps);
  const ofIndex = { sluice_index: deps.indexId };
  let ensured: number | undefined;

  return {
    limits: LIMITS,
    async ensure(dimension) {
      if (ensured === dimension) return;
      if (declared && declared !== dimension) {
        throw refused(
          `embedding_dimension is ${declared}, and the embedding model gives ${dimension}: another of the two is needed.`,
        );
      }
      const patience = PATIENCE * deps.settings.SILENCE_SECONDS;
      await connection.run('making its indexes', (db) =>
        ensureIndexes(db, name, namesOf(settings), dimension, patience),
      );
      ensured = dimension;
    },
    async upsert(points) {
      const { Binary } = await import('mongodb');
      const operations = points.map((point) => ({
        replaceOne: {
          filter: { _id: point.id },
          replacement: {
            ...documentOf(deps.indexId, point),
            embedding: Binary.fromFloat32Array(point.vector),
          },
          upsert: true,
        },
      }));
      await connection.run('a write', (db) =>
        db.collection<Stored>(name).bulkWrite(operations, { ordered: false }),
      );
    },
    async describe({ documentId, title, metadata }) {
      const update = {
        updateMany: {
          filter: { ...ofIndex, document_id: documentId },
          update: { $set: { title, metadata: storable(metadata) } },
        },
      };
      await connection.run('a description', (db) =>
        db.collection(name).bulkWrite([update], { ordered: false }),
      );
    },
    async remove(removals) {
      const operations = [...byVersion(removals)].map(([version, documentIds]) => ({
        deleteMany: { filter: { ...ofIndex, document_id: { $in: documentIds }, version: { $lte: version } } },
      }));
      if (operations.length === 0) return;
      await connection.run('a delete', (db) => db.collection(name).bulkWrite(operations, { ordered: false }));
    },
    isFilterable: () => false,
    async query(vector, topK, { documentIds } = {}) {
      const { Binary } = await import('mongodb');
      const stage = {
        index: namesOf(settings).vector,
        path: 'embedding',
        queryVector: Binary.fromFloat32Array(vector),
        numCandidates: Math.min(CANDIDATES.most, Math.max(CANDIDATES.least, topK * CANDIDATES.factor)),
        limit: Math.min(CANDIDATES.most, topK),
        filter: { ...ofIndex, ...(documentIds && { document_id: { $in: documentIds } }) },
      };
      const shown = {
        _id: 0,
        document_id: 1,
        version: 1,
        position: 1,
        score: { $meta: 'vectorSearchScore' },
      };
      const pipeline = [{ $vectorSearch: stage }, { $project: shown }];
      return connection.run('a search', async (db) => {
        const points: FoundPoint[] = [];
        // All in one answer; no more than were asked for are taken, whatever comes.
        const cursor = db.collection(name).aggregate(pipeline, { batchSize: stage.limit + 1 });
        for await (const each of cursor) {
          const { data } = found.safeParse(each);
          // Documents of somebody else, whatever they look like, are none of ours.
          if (data) points.push(pointOf(data));
          if (points.length === stage.limit) break;
        }
        return points;
      });
    },
    lookUp(points) {
      const filter = { ...ofIndex, _id: { $in: points.map(({ id }) => id) } };
      return connection.run('a look-up of points', async (db) => {
        const options = { projection: { _id: 1 }, batchSize: points.length + 1 };
        const there = await db.collection<Stored>(name).find(filter, options).toArray();
        return new Set(there.map(({ _id }) => _id));
      });
    },
    async drop() {
      const all = { deleteMany: { filter: ofIndex } };
      await connection.run('a delete', (db) => db.collection(name).bulkWrite([all], { ordered: false }));
    },
  };
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
