import type { Removal } from '#src/ports/shard.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import { checkWritten } from '#src/sinks/external/store-http.ts';
import type {
  Among,
  Description,
  FoundPoint,
  PointName,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import {
  collectionOf,
  type MilvusClient,
  type MilvusSettings,
  milvusClient,
  unlessNoCollection,
} from './client.ts';
import { ensureCollection, fitting } from './collection.ts';
import { describedOf, entityOf } from './entity.ts';
import { all, expressionOf, is, isIn, isPlainKey } from './expression.ts';
import { VECTOR } from './schema.ts';
import { anything, entities, found, keys, upserted } from './wire.ts';

/** The vendor takes 64 MB. */
const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };
/** Positions whose entities are read at once to be described anew: of the largest texts it is 15 MB a version. */
const READ_AT_ONCE = 64;
/** More positions than a document can have. */
const MOST_POSITIONS = 1_000_000;
/** The vendor's own. */
const MOST_FOUND = 16_384;

/** The points of an index among the entities of a collection. */
export class MilvusStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = isPlainKey;
  readonly #settings: MilvusSettings;
  readonly #indexId: string;
  readonly #client: MilvusClient;
  /** Expression that only entities of this index pass. */
  readonly #ofIndex: string;
  #ensured: number | undefined;

  constructor(settings: MilvusSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#client = milvusClient(settings, deps);
    this.#ofIndex = is('sluice_index', deps.indexId);
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    const wanted = this.#settings.embedding_dimension ?? dimension;
    if (wanted !== dimension) {
      throw new SinkError(
        `The data sink (VENDOR_C) says embedding_dimension ${wanted}, and the embedding model gives ${dimension}.`,
        { retryable: false },
      );
    }
    await ensureCollection(this.#client, collectionOf(this.#settings), dimension);
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    await this.#write(points.map((point) => entityOf(this.#indexId, point)));
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const described = describedOf({ title, metadata });
    for (let from = 0; from < MOST_POSITIONS; from += READ_AT_ONCE) {
      const window = `position >= ${from} and position < ${from + READ_AT_ONCE}`;
      const read = await this.#client.ask('/entities/query', entities, {
        filter: all(this.#ofIndex, is('document_id', documentId), window),
        outputFields: ['*', VECTOR],
        limit: MOST_FOUND,
      });
      // Positions have no gaps.
      if (read.length === 0) return;
      await this.#write(read.map((entity) => ({ ...entity, ...described })));
    }
    throw new SinkError('The data sink (VENDOR_C) gives ever new entities of one document.', {
      retryable: true,
    });
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of byVersion(removals)) {
      await this.#removeWhere(isIn('document_id', documentIds), `version <= ${version}`);
    }
  }

  async query(vector: Float32Array, topK: number, among: Among = {}): Promise<FoundPoint[]> {
    const search = this.#client.ask('/entities/search', found, {
      data: [[...vector]],
      annsField: VECTOR,
      limit: topK,
      filter: all(this.#ofIndex, ...conditionsFor(among)),
      outputFields: ['document_id', 'version', 'position'],
      searchParams: { metricType: 'COSINE', params: {} },
      consistencyLevel: 'Strong',
    });
    const collection = { name: collectionOf(this.#settings), dimension: vector.length };
    const matches = await fitting(this.#client, collection, search);
    return matches.flatMap((match) => {
      if (!match) return [];
      const { distance, document_id: documentId, version, position } = match;
      return [{ documentId, version, position, score: Math.max(-1, Math.min(1, distance)) }];
    });
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = points.map(({ id }) => id);
    const query = { filter: all(this.#ofIndex, isIn('id', ids)), outputFields: ['id'], limit: ids.length };
    const there = await unlessNoCollection(this.#client.ask('/entities/query', keys, query));
    return new Set(there?.map(({ id }) => id));
  }

  async drop(): Promise<void> {
    await this.#removeWhere();
  }

  async #write(data: object[]): Promise<void> {
    const { upsertCount } = await this.#client.ask('/entities/upsert', upserted, { data });
    checkWritten('VENDOR_C', upsertCount, data.length);
  }

  /** A collection that is not there (yet, or any more) holds nothing to delete. */
  async #removeWhere(...parts: string[]): Promise<void> {
    const filter = all(this.#ofIndex, ...parts);
    await unlessNoCollection(this.#client.ask('/entities/delete', anything, { filter }));
  }
}

function conditionsFor({ documentIds, narrowing }: Among): string[] {
  if (documentIds) return [isIn('document_id', documentIds)];
  return narrowing ? [expressionOf(narrowing)] : [];
}
