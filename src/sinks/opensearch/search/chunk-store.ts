import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { cutTerm } from '#src/sinks/external/metadata-terms.ts';
import { hasDirection, toCosine } from '#src/sinks/external/vectors.ts';
import type {
  ChunkRecord,
  ChunkSearch,
  ChunkSearchResult,
  ChunkStore,
  NewRecord,
  RecordChange,
} from '#src/sinks/native/ledger/chunk-store.ts';
import { type Cluster, createSearchClient, type SearchClient } from '#src/sinks/opensearch/client.ts';
import { deleteVersions, deleteWhere } from '#src/sinks/opensearch/delete.ts';
import type { Clause } from '#src/sinks/opensearch/engine.ts';
import { getFields, NODE_KEY, ONLY_RECORD } from '#src/sinks/opensearch/fields.ts';
import { all, equals, isAtLeast, toClause } from '#src/sinks/opensearch/filter.ts';
import { lookUpIds } from '#src/sinks/opensearch/look-up.ts';
import { ensureIndex } from '#src/sinks/opensearch/search-index.ts';
import { searchIndex, searchWithRanges } from '#src/sinks/opensearch/search-request.ts';
import { DEFAULT_RETRIES, getWriteAlias, type OpenSearchSettings } from '#src/sinks/opensearch/settings.ts';
import { writeBulk } from '#src/sinks/opensearch/write.ts';
import { toChangedFields, toChunkDocument } from './chunk-document.ts';
import { type SingleSearch, searchTogether } from './multi-search.ts';
import { listedRecords } from './records.ts';
import { buildWordQuery } from './word-query.ts';

/**
 * Limits per call. A search returns whole texts, of which a response has space for two thousand, if they are as long as
 * usual.
 */
const LIMITS = { points: 500, bytes: 8_000_000, largestPage: 1_000, lookedUp: 1_000 };
/** Maximum number of versions of a chunk that are read. Versions that were replaced are deleted soon. */
const MOST_VERSIONS = 100;

/** Stores the chunks of one index as documents of an OpenSearch or Elasticsearch index, and searches them. */
export class OpenSearchChunkStore implements ChunkStore {
  readonly limits = LIMITS;
  readonly #indexId: string;
  readonly #alias: string;
  readonly #retries: number;
  readonly #client: SearchClient;
  /** Clause that selects the documents of this index of Sluice. */
  readonly #indexClause: Clause;
  #ensured: number | undefined;

  constructor(settings: OpenSearchSettings, deps: SinkDeps & { indexId: string }) {
    this.#indexId = deps.indexId;
    this.#alias = getWriteAlias(settings);
    this.#retries = settings.max_retries ?? DEFAULT_RETRIES;
    this.#client = createSearchClient(settings, deps);
    this.#indexClause = equals('sluice_index', deps.indexId);
  }

  isFilterable(): boolean {
    return true;
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    const fields = getFields({ native_search: true });
    await ensureIndex(this.#client, { alias: this.#alias, fields, dimension });
    this.#ensured = dimension;
  }

  async write(records: NewRecord[]): Promise<void> {
    const actions = records.map((record) => ({
      index: { _id: record.rowId },
      document: toChunkDocument(this.#indexId, record),
    }));
    await writeBulk(this.#client, this.#alias, actions);
  }

  async update(changes: RecordChange[]): Promise<void> {
    const actions = changes.map((change) => ({
      update: { _id: change.rowId },
      changes: toChangedFields(change),
    }));
    await writeBulk(this.#client, this.#alias, actions);
  }

  lookUp(rowIds: string[]): Promise<Set<string>> {
    return lookUpIds(this.#client, rowIds);
  }

  remove(removals: Removal[]): Promise<void> {
    return deleteVersions(this.#client, this.#indexClause, removals);
  }

  search(search: ChunkSearch): Promise<ChunkSearchResult> {
    return searchWithRanges(this.#client, search.preFilter !== undefined, (cluster) =>
      this.#searchArms(cluster, search),
    );
  }

  list({ documentId, version, from, limit }: Parameters<ChunkStore['list']>[0]): Promise<ChunkRecord[]> {
    const ofVersion = [equals('document_id', documentId), equals('version', version)];
    return this.#read({
      query: all(this.#indexClause, ...ofVersion, isAtLeast('position', from)),
      sort: [{ position: { order: 'asc' } }],
      size: limit,
    });
  }

  async find(nodeId: string): Promise<ChunkRecord[]> {
    const records = await this.#read({
      query: all(this.#indexClause, equals(NODE_KEY, cutTerm(nodeId))),
      sort: [{ version: { order: 'desc' } }],
      size: MOST_VERSIONS,
    });
    return records.filter(({ chunk }) => chunk.id === nodeId);
  }

  async drop(): Promise<void> {
    await deleteWhere(this.#client, all(this.#indexClause));
  }

  async #read(search: object): Promise<ChunkRecord[]> {
    const body = { ...search, track_total_hits: false, _source: ONLY_RECORD };
    const { hits } = await searchIndex(this.#client, body, listedRecords);
    return hits.hits;
  }

  async #searchArms(cluster: Cluster, search: ChunkSearch): Promise<ChunkSearchResult> {
    const preFilter = search.preFilter && toClause(search.preFilter, { ranges: cluster.allowsRanges });
    const dense = this.#buildDense(cluster, search, preFilter);
    const sparse = this.#buildSparse(search, preFilter);
    const arms = [dense, sparse].filter((arm) => arm !== undefined);
    if (arms.length === 0) return { dense: [], sparse: [] };
    const answers = await searchTogether(this.#client, arms, this.#retries);
    const near = dense ? answers.shift()! : [];
    return {
      dense: near.map((record) => ({ ...record, score: toCosine(record.score) })),
      sparse: sparse ? answers.shift()! : [],
    };
  }

  #buildDense({ engine }: Cluster, { dense }: ChunkSearch, preFilter?: Clause): SingleSearch | undefined {
    if (!dense || !hasDirection(dense.vector)) return undefined;
    const filter = all(this.#indexClause, ...(preFilter ? [preFilter] : []));
    const query = engine.buildVectorSearch([...dense.vector], dense.topK, filter);
    return { body: { ...query, size: dense.topK, track_total_hits: false, _source: ONLY_RECORD } };
  }

  #buildSparse({ sparse }: ChunkSearch, preFilter?: Clause): SingleSearch | undefined {
    if (!sparse) return undefined;
    const query = buildWordQuery(sparse.weights, this.#indexClause, preFilter);
    return {
      // Document frequencies come from all shards. Without it, each shard has its own.
      searchType: 'dfs_query_then_fetch',
      body: { query, size: sparse.topK, track_total_hits: false, _source: ONLY_RECORD },
    };
  }
}
