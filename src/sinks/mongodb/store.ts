import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { toCosine } from '#src/sinks/external/vectors.ts';
import { getIndexNames, type MongoSettings } from './connection.ts';
import { IndexDocuments, LIMITS } from './index-documents.ts';
import { buildVectorStage } from './vector-stage.ts';

const found = z
  .object({
    document_id: z.string(),
    version: z.number(),
    position: z.number(),
    score: z.number(),
  })
  .transform(
    ({ document_id, version, position, score }): FoundPoint => ({
      documentId: document_id,
      version,
      position,
      score: toCosine(score),
    }),
  );

const SHOWN = { _id: 0, document_id: 1, version: 1, position: 1, score: { $meta: 'vectorSearchScore' } };

/** Stores the points of one index as documents of a MongoDB collection, which several indexes may share. */
export class MongoStore implements VectorStore {
  readonly limits = LIMITS;
  readonly #indexId: string;
  readonly #documents: IndexDocuments;

  constructor(settings: MongoSettings, deps: SinkDeps & { indexId: string }) {
    this.#indexId = deps.indexId;
    this.#documents = new IndexDocuments(settings, deps, getIndexNames(settings));
  }

  ensure(dimension: number): Promise<void> {
    return this.#documents.ensure(dimension);
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
    await this.#documents.write('a write', operations);
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const filter = { ...this.#documents.filter, document_id: documentId };
    const update = { $set: { title, metadata: toStorable(metadata) } };
    await this.#documents.write('an update', [{ updateMany: { filter, update } }]);
  }

  remove(removals: Removal[]): Promise<void> {
    return this.#documents.remove(removals);
  }

  isFilterable(): boolean {
    return false;
  }

  async query(vector: Float32Array, topK: number, { documentIds }: SearchScope = {}): Promise<FoundPoint[]> {
    const { filter, names } = this.#documents;
    const stage = await buildVectorStage({
      index: names.vector,
      vector,
      topK,
      filter: { ...filter, ...(documentIds && { document_id: { $in: documentIds } }) },
    });
    return this.#documents.search([stage, { $project: SHOWN }], stage.$vectorSearch.limit, found);
  }

  lookUp(points: PointName[]): Promise<Set<string>> {
    return this.#documents.lookUp(points.map(({ id }) => id));
  }

  drop(): Promise<void> {
    return this.#documents.drop();
  }
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
