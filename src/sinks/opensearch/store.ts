import type { Removal } from '#src/ports/shard.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { hasDirection, toCosine } from '#src/sinks/external/vectors.ts';
import { type Cluster, createSearchClient, type SearchClient } from './client.ts';
import { deleteVersions, deleteWhere } from './delete.ts';
import { toSearchDocument, toSharedFields } from './document.ts';
import type { Clause } from './engine.ts';
import { getFields } from './fields.ts';
import { all, equals, isAmong, toClause } from './filter.ts';
import { lookUpIds } from './look-up.ts';
import { ensureIndex } from './search-index.ts';
import { searchIndex, searchWithRanges } from './search-request.ts';
import { getWriteAlias, type OpenSearchSettings } from './settings.ts';
import { found, page } from './wire.ts';
import { writeBulk } from './write.ts';

/**
 * Limits per call. A search returns at most 10,000 documents, unless the owner of the index has changed
 * `index.max_result_window`.
 */
const LIMITS = { points: 500, bytes: 8_000_000, largestPage: 10_000, lookedUp: 1_000 };
const PAGE = 1_000;
/** Maximum number of pages of a listing, which prevents endless loops. No document has as many points. */
const MAX_PAGES = 10_000;

/**
 * Stores the points of one index as documents of an OpenSearch or Elasticsearch index, which several indexes of
 * Sluice may share.
 */
export class OpenSearchStore implements VectorStore {
  readonly limits = LIMITS;
  readonly #indexId: string;
  readonly #alias: string;
  readonly #client: SearchClient;
  /** Clause that selects the documents of this index of Sluice. */
  readonly #indexClause: Clause;
  #ensured: number | undefined;

  constructor(settings: OpenSearchSettings, deps: SinkDeps & { indexId: string }) {
    this.#indexId = deps.indexId;
    this.#alias = getWriteAlias(settings);
    this.#client = createSearchClient(settings, deps);
    this.#indexClause = equals('sluice_index', deps.indexId);
  }

  isFilterable(): boolean {
    return true;
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    await ensureIndex(this.#client, { alias: this.#alias, fields: getFields({}), dimension });
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    const actions = points.map((point) => ({
      index: { _id: point.id },
      document: toSearchDocument(this.#indexId, point),
    }));
    await writeBulk(this.#client, this.#alias, actions);
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const changes = toSharedFields(title, metadata);
    for await (const ids of this.#listIds(equals('document_id', documentId))) {
      const actions = ids.map((_id) => ({ update: { _id }, changes }));
      await writeBulk(this.#client, this.#alias, actions);
    }
  }

  remove(removals: Removal[]): Promise<void> {
    return deleteVersions(this.#client, this.#indexClause, removals);
  }

  async query(vector: Float32Array, topK: number, scope: SearchScope = {}): Promise<FoundPoint[]> {
    if (!hasDirection(vector)) return [];
    return searchWithRanges(this.#client, scope.preFilter !== undefined, (cluster) =>
      this.#findNearest(cluster, vector, topK, scope),
    );
  }

  lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = points.map(({ id }) => id);
    return lookUpIds(this.#client, ids);
  }

  async drop(): Promise<void> {
    await deleteWhere(this.#client, all(this.#indexClause));
  }

  async #findNearest(
    { engine, allowsRanges }: Cluster,
    vector: Float32Array,
    topK: number,
    { documentIds, preFilter }: SearchScope,
  ): Promise<FoundPoint[]> {
    const k = Math.min(topK, LIMITS.largestPage);
    const narrowed = preFilter && toClause(preFilter, { ranges: allowsRanges });
    const filter = all(
      this.#indexClause,
      ...(documentIds ? [isAmong('document_id', documentIds)] : []),
      ...(narrowed ? [narrowed] : []),
    );
    const { hits } = await searchIndex(
      this.#client,
      {
        ...engine.buildVectorSearch([...vector], k, filter),
        size: k,
        track_total_hits: false,
        _source: { includes: ['document_id', 'version', 'position'] },
      },
      found,
    );
    return hits.hits.flatMap((hit) => (hit ? [toFoundPoint(hit)] : [])).slice(0, k);
  }

  /** Yields pages of the ids of matching documents, ordered by version and position. */
  async *#listIds(clause: Clause): AsyncGenerator<string[]> {
    let last: number[] | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const { hits } = await searchIndex(
        this.#client,
        {
          query: all(this.#indexClause, clause),
          sort: [{ version: { order: 'asc' } }, { position: { order: 'asc' } }],
          ...(last && { search_after: last }),
          ...{ size: PAGE, track_total_hits: false, _source: false },
        },
        page,
      );
      if (hits.hits.length === 0) return;
      yield hits.hits.map(({ _id }) => _id);
      if (hits.hits.length < PAGE) return;
      last = hits.hits.at(-1)!.sort;
    }
    const { product } = await this.#client.getEngine();
    throw new SinkError(`${product} returned more pages than a document can have.`, { retryable: true });
  }
}

interface Hit {
  _score: number;
  _source: { document_id: string; version: number; position: number };
}

const toFoundPoint = ({ _score, _source: { document_id, version, position } }: Hit): FoundPoint => ({
  ...{ documentId: document_id, version, position },
  score: toCosine(_score),
});
