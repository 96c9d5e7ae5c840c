import type { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import type { Removal } from '#src/ports/shard.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { createSearchClient, type SearchClient } from './client.ts';
import { deleteWhere } from './delete.ts';
import { hasDirection, toSearchDocument, toSharedFields } from './document.ts';
import type { Clause } from './engine.ts';
import { all, equals, isAmong, isAtMost, toClause } from './filter.ts';
import { ensureIndex } from './search-index.ts';
import { getIndexName, getWriteAlias, type OpenSearchSettings } from './settings.ts';
import { found, looked, page } from './wire.ts';
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
  readonly #name: string;
  readonly #alias: string;
  readonly #client: SearchClient;
  /** Clause that selects the documents of this index of Sluice. */
  readonly #indexClause: Clause;
  #ensured: number | undefined;

  constructor(settings: OpenSearchSettings, deps: SinkDeps & { indexId: string }) {
    this.#indexId = deps.indexId;
    this.#name = getIndexName(settings);
    this.#alias = getWriteAlias(settings);
    this.#client = createSearchClient(settings, deps);
    this.#indexClause = equals('sluice_index', deps.indexId);
  }

  isFilterable(): boolean {
    return true;
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    await ensureIndex(this.#client, { name: this.#name, alias: this.#alias, dimension });
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

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      const clause = all(
        this.#indexClause,
        isAmong('document_id', documentIds),
        isAtMost('version', version),
      );
      await deleteWhere(this.#client, clause);
    }
  }

  async query(vector: Float32Array, topK: number, scope: SearchScope = {}): Promise<FoundPoint[]> {
    if (!hasDirection(vector)) return [];
    try {
      return await this.#findNearest(vector, topK, scope);
    } catch (error) {
      const isForbidden = error instanceof Upstream && error.message.includes('allow_expensive_queries');
      const cluster = await this.#client.getCluster();
      if (!isForbidden || !scope.preFilter || !cluster.allowsRanges) throw error;
      // Sluice's index applies the exact filter, so a search without ranges is only slower.
      cluster.allowsRanges = false;
      return this.#findNearest(vector, topK, scope);
    }
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const body = { ids: points.map(({ id }) => id) };
    const request = { method: 'POST', path: '/_mget?_source=false', body } as const;
    const { docs } = (await ignoreNotFound(this.#client.ask(request, looked))) ?? { docs: [] };
    const failure = docs.find(({ error }) => error && error.type !== 'index_not_found_exception');
    if (failure) {
      const { product } = await this.#client.getEngine();
      const message = `${product} failed to look up one of ${points.length} documents: ${failure.error!.type}`;
      throw new SinkError(message, { retryable: true });
    }
    return new Set(docs.filter(({ found: isHeld }) => isHeld).map(({ _id }) => _id));
  }

  async drop(): Promise<void> {
    await deleteWhere(this.#client, all(this.#indexClause));
  }

  async #findNearest(vector: Float32Array, topK: number, scope: SearchScope): Promise<FoundPoint[]> {
    const { documentIds, preFilter } = scope;
    const { engine, allowsRanges } = await this.#client.getCluster();
    const k = Math.min(topK, LIMITS.largestPage);
    const narrowed = preFilter && toClause(preFilter, { ranges: allowsRanges });
    const filter = all(
      this.#indexClause,
      ...(documentIds ? [isAmong('document_id', documentIds)] : []),
      ...(narrowed ? [narrowed] : []),
    );
    const { hits } = await this.#search(
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

  /** Searches the index. Rejects with a retryable error if a part of the index did not answer. */
  async #search<T extends { timed_out: boolean; _shards: { failed: number } }>(
    body: object,
    schema: z.ZodType<T>,
  ): Promise<T> {
    const path = '/_search?allow_partial_search_results=false';
    const answer = await this.#client.ask({ method: 'POST', path, body }, schema);
    if (!answer.timed_out && answer._shards.failed === 0) return answer;
    const { product } = await this.#client.getEngine();
    throw new SinkError(`${product} searched only a part of index ${this.#name}.`, { retryable: true });
  }

  /** Yields pages of the ids of matching documents, ordered by version and position. */
  async *#listIds(clause: Clause): AsyncGenerator<string[]> {
    let last: number[] | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const { hits } = await this.#search(
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

/** Converts a search result to a point. The score of both products is (1 + cosine) / 2. */
const toFoundPoint = ({ _score, _source: { document_id, version, position } }: Hit): FoundPoint => ({
  ...{ documentId: document_id, version, position },
  score: 2 * _score - 1,
});
