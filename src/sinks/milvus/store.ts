import type { Removal } from '#src/ports/shard.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { createMilvusClient, getCollectionName, type MilvusClient, type MilvusSettings } from './client.ts';
import { ensureCollection, rejectOtherDimension } from './collection.ts';
import { lookUpKeys, removeWhere, searchNearest, writeEntities } from './entities.ts';
import { toEntity, toSharedFields } from './entity.ts';
import { all, is, isIn, isPlainKey, toExpression } from './expression.ts';
import { POINTS, VECTOR } from './schema.ts';
import { entities, found, toCosine } from './wire.ts';

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
    rejectOtherDimension(this.#settings, dimension);
    await ensureCollection(this.#client, getCollectionName(this.#settings), POINTS, dimension);
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    await writeEntities(
      this.#client,
      points.map((point) => toEntity(this.#indexId, point)),
    );
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
      await writeEntities(
        this.#client,
        read.map((entity) => ({ ...entity, ...described })),
      );
    }
    throw new SinkError('Milvus returned more entities of one document than it can have.', {
      retryable: true,
    });
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      const ofDocuments = isIn('document_id', documentIds);
      await removeWhere(this.#client, all(this.#indexFilter, ofDocuments, `version <= ${version}`));
    }
  }

  async query(vector: Float32Array, topK: number, scope: SearchScope = {}): Promise<FoundPoint[]> {
    const matches = await searchNearest(this.#client, {
      vector,
      topK,
      filter: all(this.#indexFilter, ...buildScopeConditions(scope)),
      outputFields: ['document_id', 'version', 'position'],
      schema: found,
      target: { name: getCollectionName(this.#settings), layout: POINTS },
    });
    return matches.flatMap((match) => {
      if (!match) return [];
      const { distance, document_id: documentId, version, position } = match;
      return [{ documentId, version, position, score: toCosine(distance) }];
    });
  }

  lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = points.map(({ id }) => id);
    return lookUpKeys(this.#client, this.#indexFilter, ids);
  }

  drop(): Promise<void> {
    return removeWhere(this.#client, this.#indexFilter);
  }
}

function buildScopeConditions({ documentIds, preFilter }: SearchScope): string[] {
  if (documentIds) return [isIn('document_id', documentIds)];
  return preFilter ? [toExpression(preFilter)] : [];
}
