import type { Removal } from '#src/ports/shard.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import { checkWritten } from '#src/sinks/external/store-http.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import {
  createMilvusClient,
  getCollectionName,
  ignoreMissingCollection,
  type MilvusClient,
  type MilvusSettings,
} from './client.ts';
import { ensureCollection, explainMismatch } from './collection.ts';
import { toEntity, toSharedFields } from './entity.ts';
import { all, is, isIn, isPlainKey, toExpression } from './expression.ts';
import { VECTOR } from './schema.ts';
import { anything, entities, found, keys, upserted } from './wire.ts';

/** Limits per batch, far below Milvus's limit of 64 MB per request. */
const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };
/**
 * Number of chunk positions whose entities are read at once to change their metadata. With the longest texts,
 * they take 15 MB per version.
 */
const READ_AT_ONCE = 64;
/**
 * Maximum number of chunk positions in a document, which prevents endless loops. No document has more chunks.
 */
const MAX_POSITIONS = 1_000_000;
const MAX_FOUND = 16_384;

/** Stores the points of one index as entities of a Milvus collection, which several indexes may share. */
export class MilvusStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = isPlainKey;
  readonly #settings: MilvusSettings;
  readonly #indexId: string;
  readonly #client: MilvusClient;
  readonly #indexFilter: string;
  #ensured: number | undefined;

  constructor(settings: MilvusSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#client = createMilvusClient(settings, deps);
    this.#indexFilter = is('sluice_index', deps.indexId);
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    const wanted = this.#settings.embedding_dimension ?? dimension;
    if (wanted !== dimension) {
      throw new SinkError(
        `Milvus: embedding_dimension is ${wanted}, but the embedding model returns ${dimension} dimensions.`,
        { retryable: false },
      );
    }
    await ensureCollection(this.#client, getCollectionName(this.#settings), dimension);
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    await this.#write(points.map((point) => toEntity(this.#indexId, point)));
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const described = toSharedFields({ title, metadata });
    for (let from = 0; from < MAX_POSITIONS; from += READ_AT_ONCE) {
      const window = `position >= ${from} and position < ${from + READ_AT_ONCE}`;
      const read = await this.#client.ask('/entities/query', entities, {
        filter: all(this.#indexFilter, is('document_id', documentId), window),
        outputFields: ['*', VECTOR],
        limit: MAX_FOUND,
      });
      // Chunk positions have no gaps, so the document ends where no entities are found.
      if (read.length === 0) return;
      await this.#write(read.map((entity) => ({ ...entity, ...described })));
    }
    throw new SinkError('Milvus returned more entities of one document than it can have.', {
      retryable: true,
    });
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      await this.#removeWhere(isIn('document_id', documentIds), `version <= ${version}`);
    }
  }

  async query(vector: Float32Array, topK: number, scope: SearchScope = {}): Promise<FoundPoint[]> {
    const search = this.#client.ask('/entities/search', found, {
      data: [[...vector]],
      annsField: VECTOR,
      limit: topK,
      filter: all(this.#indexFilter, ...buildScopeConditions(scope)),
      outputFields: ['document_id', 'version', 'position'],
      searchParams: { metricType: 'COSINE', params: {} },
      consistencyLevel: 'Strong',
    });
    const collection = { name: getCollectionName(this.#settings), dimension: vector.length };
    const matches = await explainMismatch(this.#client, collection, search);
    return matches.flatMap((match) => {
      if (!match) return [];
      const { distance, document_id: documentId, version, position } = match;
      return [{ documentId, version, position, score: Math.max(-1, Math.min(1, distance)) }];
    });
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = points.map(({ id }) => id);
    const query = {
      filter: all(this.#indexFilter, isIn('id', ids)),
      outputFields: ['id'],
      limit: ids.length,
    };
    const existing = await ignoreMissingCollection(this.#client.ask('/entities/query', keys, query));
    return new Set(existing?.map(({ id }) => id));
  }

  async drop(): Promise<void> {
    await this.#removeWhere();
  }

  async #write(data: object[]): Promise<void> {
    const { upsertCount } = await this.#client.ask('/entities/upsert', upserted, { data });
    checkWritten('Milvus', upsertCount, data.length);
  }

  /** Deletes matching entities. Does nothing if the collection is missing. */
  async #removeWhere(...parts: string[]): Promise<void> {
    const filter = all(this.#indexFilter, ...parts);
    await ignoreMissingCollection(this.#client.ask('/entities/delete', anything, { filter }));
  }
}

function buildScopeConditions({ documentIds, preFilter }: SearchScope): string[] {
  if (documentIds) return [isIn('document_id', documentIds)];
  return preFilter ? [toExpression(preFilter)] : [];
}
