import { z } from 'zod';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { splitIntoBatches } from '#src/sinks/external/points.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import {
  createMilvusClient,
  getCollectionName,
  type MilvusClient,
  type MilvusSettings,
} from '#src/sinks/milvus/client.ts';
import { ensureCollection, rejectOtherDimension } from '#src/sinks/milvus/collection.ts';
import { lookUpKeys, removeWhere, searchNearest, writeEntities } from '#src/sinks/milvus/entities.ts';
import { toVectorComponents } from '#src/sinks/milvus/entity.ts';
import { all, is, isIn, isPlainKey, toExpression } from '#src/sinks/milvus/expression.ts';
import { CHUNKS, RECORD_FIELDS, VECTOR, WORDS_VECTOR } from '#src/sinks/milvus/schema.ts';
import { toCosine } from '#src/sinks/milvus/wire.ts';
import type {
  ChunkRecord,
  ChunkSearch,
  ChunkSearchResult,
  ChunkStore,
  FoundRecord,
  NewRecord,
  RecordChange,
} from '#src/sinks/native/ledger/chunk-store.ts';
import { records, scoredRecords, toChunkEntity } from './record-fields.ts';
import { toQueryWords } from './words.ts';

const LIMITS = {
  // Far below Milvus's limit of 64 MB per request, because an entity also has the words of its chunk.
  ...{ points: 256, bytes: 8_000_000, lookedUp: 1_000 },
  // Milvus returns up to 16,384 results. Each contains a text, and the results of both arms are in memory together.
  largestPage: 1_000,
};
/** Maximum number of versions of a document that have the same node. */
const MOST_VERSIONS = 100;

const vectors = z.array(z.object({ id: z.string(), [VECTOR]: z.array(z.number()) }));

/**
 * Stores whole chunks as entities of a Milvus collection, which several indexes may share. Milvus ranks words with BM25 and
 * its own document frequencies.
 */
export class MilvusChunkStore implements ChunkStore {
  readonly limits = LIMITS;
  readonly isFilterable: ChunkStore['isFilterable'] = isPlainKey;
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
    rejectOtherDimension(this.#settings, dimension);
    await ensureCollection(this.#client, getCollectionName(this.#settings), CHUNKS, dimension);
    this.#ensured = dimension;
  }

  async write(newRecords: NewRecord[]): Promise<void> {
    await writeEntities(
      this.#client,
      newRecords.map((record) => ({
        ...toChunkEntity(this.#indexId, record),
        [VECTOR]: toVectorComponents(record.vector),
      })),
    );
  }

  /** Writes changed records as a whole with their present vectors, because not every version writes single fields. */
  async update(changes: RecordChange[]): Promise<void> {
    const present = await this.#client.ask('/entities/query', vectors, {
      filter: all(
        this.#indexFilter,
        isIn(
          'id',
          changes.map(({ rowId }) => rowId),
        ),
      ),
      outputFields: ['id', VECTOR],
      limit: changes.length,
    });
    const vectorById = new Map(present.map(({ id, [VECTOR]: vector }) => [id, vector]));
    const entities = changes.flatMap((change) => {
      const vector = vectorById.get(change.rowId);
      if (!vector) return [];
      return [{ entity: toChunkEntity(this.#indexId, change), vector: new Float32Array(vector) }];
    });
    for (const batch of splitIntoBatches(entities, LIMITS)) {
      await writeEntities(
        this.#client,
        batch.map(({ entity, vector }) => ({ ...entity, [VECTOR]: toVectorComponents(vector) })),
      );
    }
  }

  async lookUp(rowIds: string[]): Promise<Set<string>> {
    return rowIds.length === 0 ? new Set() : lookUpKeys(this.#client, this.#indexFilter, rowIds);
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      const ofDocuments = isIn('document_id', documentIds);
      await removeWhere(this.#client, all(this.#indexFilter, ofDocuments, `version <= ${version}`));
    }
  }

  /** Searches with both arms at the same time. Milvus's hybrid search would return one combined score. */
  async search({ dense, sparse, preFilter }: ChunkSearch): Promise<ChunkSearchResult> {
    const filter = all(this.#indexFilter, ...(preFilter ? [toExpression(preFilter)] : []));
    const [nearest, best] = await Promise.all([
      dense ? this.#searchVectors(dense, filter) : [],
      sparse ? this.#searchWords(sparse, filter) : [],
    ]);
    return { dense: nearest, sparse: best };
  }

  async #searchVectors(
    { vector, topK }: NonNullable<ChunkSearch['dense']>,
    filter: string,
  ): Promise<FoundRecord[]> {
    const found = await searchNearest(this.#client, {
      ...{ vector, topK, filter, outputFields: RECORD_FIELDS, schema: scoredRecords },
      target: { name: getCollectionName(this.#settings), layout: CHUNKS },
    });
    return found.flatMap((each) => (each ? [{ ...each.record, score: toCosine(each.distance) }] : []));
  }

  async #searchWords(
    { weights, topK }: NonNullable<ChunkSearch['sparse']>,
    filter: string,
  ): Promise<FoundRecord[]> {
    const words = toQueryWords(weights);
    if (!words) return [];
    const found = await this.#client.ask('/entities/search', scoredRecords, {
      data: [words.text],
      annsField: WORDS_VECTOR,
      limit: topK,
      filter,
      outputFields: RECORD_FIELDS,
      searchParams: { params: {} },
      consistencyLevel: 'Strong',
    });
    return found.flatMap((each) =>
      each && each.distance > 0 ? [{ ...each.record, score: each.distance * words.scale }] : [],
    );
  }

  /** Chunk positions have no gaps, so one window of positions contains all chunks that are asked for. */
  async list({
    documentId,
    version,
    from,
    limit,
  }: {
    documentId: string;
    version: number;
    from: number;
    limit: number;
  }): Promise<ChunkRecord[]> {
    const window = `position >= ${from} and position < ${from + limit}`;
    const ofVersion = [is('document_id', documentId), `version == ${version}`];
    const found = await this.#read(all(this.#indexFilter, ...ofVersion, window), limit);
    return found.sort((one, other) => one.chunk.position - other.chunk.position);
  }

  find(nodeId: string): Promise<ChunkRecord[]> {
    return this.#read(all(this.#indexFilter, is('node_id', nodeId)), MOST_VERSIONS);
  }

  drop(): Promise<void> {
    return removeWhere(this.#client, this.#indexFilter);
  }

  async #read(filter: string, limit: number): Promise<ChunkRecord[]> {
    const query = { filter, outputFields: RECORD_FIELDS, limit };
    const found = await this.#client.ask('/entities/query', records, query);
    return found.filter((record) => record !== null);
  }
}
