import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { type AzureSearchClient, createAzureSearchClient } from '#src/sinks/azure-ai-search/client.ts';
import { toFilterableFields } from '#src/sinks/azure-ai-search/document.ts';
import {
  lookUpKeys,
  PAGE,
  removeWhere,
  searchDocuments,
  searchPages,
} from '#src/sinks/azure-ai-search/documents.ts';
import { all, equals, isAmong, toODataFilter } from '#src/sinks/azure-ai-search/filter.ts';
import { type FilterableKey, parseFilterableKeys } from '#src/sinks/azure-ai-search/filterable.ts';
import { ensureIndex, rejectOtherDimension } from '#src/sinks/azure-ai-search/search-index.ts';
import { type AzureSearchSettings, getIndexName } from '#src/sinks/azure-ai-search/settings.ts';
import { toCosine } from '#src/sinks/azure-ai-search/wire.ts';
import { writeBatch } from '#src/sinks/azure-ai-search/write.ts';
import { splitIntoBatches } from '#src/sinks/external/points.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import type {
  ChunkRecord,
  ChunkSearch,
  ChunkSearchResult,
  ChunkStore,
  NewRecord,
  RecordChange,
} from '#src/sinks/native/ledger/chunk-store.ts';
import { encodeRecord } from '#src/sinks/native/record-json.ts';
import { waitUntilShown } from '#src/sinks/native/wait-until-shown.ts';
import { toWordsText } from '#src/sinks/native/words.ts';
import { toLuceneQuery } from './lucene-query.ts';
import {
  fusedRecords,
  records,
  scoredRecords,
  separateArms,
  toFoundRecords,
  toRecords,
} from './search-results.ts';

const LIMITS = {
  ...{ points: 1_000, bytes: 7_000_000, lookedUp: 1_000 },
  // Azure returns up to 10,000 results. Each contains a text, and the results of both arms are in memory together.
  largestPage: 1_000,
};
/** Limits of one request. Azure accepts 1,000 documents and 16 MB. */
const REQUEST = { points: 1_000, bytes: 15_000_000 };
/** Largest `topK` of a search with both arms in one request, whose results must fit into one page. */
const LARGEST_HYBRID = PAGE / 2;

type Document = Record<string, unknown> & { id: string };

/**
 * Stores whole chunks as documents of an Azure index, which several indexes of Sluice may share. Azure ranks words with
 * BM25 and its own document frequencies.
 */
export class AzureChunkStore implements ChunkStore {
  readonly limits = LIMITS;
  readonly isFilterable: ChunkStore['isFilterable'] = (key) =>
    this.#filterable.some((each) => each.key === key);
  readonly #settings: AzureSearchSettings;
  readonly #deps: SinkDeps & { indexId: string };
  readonly #client: AzureSearchClient;
  readonly #filterable: FilterableKey[];
  /** OData filter that selects the documents of this index of Sluice. */
  readonly #indexFilter: string;
  #ensured = false;

  constructor(settings: AzureSearchSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#deps = deps;
    this.#client = createAzureSearchClient(settings, deps);
    this.#filterable = parseFilterableKeys(settings.filterable_metadata_field_keys);
    this.#indexFilter = equals('sluice_index', deps.indexId);
  }

  async ensure(dimension: number): Promise<void> {
    rejectOtherDimension(this.#settings, dimension);
    if (this.#ensured) return;
    const layout = { keys: this.#filterable, dimension, native: true };
    await ensureIndex(this.#client, getIndexName(this.#settings), layout);
    this.#ensured = true;
  }

  async write(newRecords: NewRecord[]): Promise<void> {
    const documents = newRecords.map((record) => ({
      document: this.#toDocument(record),
      vector: record.vector,
    }));
    for (const batch of splitIntoBatches(documents, REQUEST)) {
      await writeBatch(
        this.#client,
        batch.map(({ document, vector }) => ({
          '@search.action': 'mergeOrUpload',
          ...document,
          vector: [...vector],
        })),
      );
    }
    const ids = newRecords.map(({ rowId }) => rowId);
    await waitUntilShown(async () => {
      const shown = await this.lookUp(ids);
      return ids.every((id) => shown.has(id));
    }, this.#deps);
  }

  async update(changes: RecordChange[]): Promise<void> {
    // Without vectors in the documents, the vectors in Azure stay.
    const vector = new Float32Array();
    const documents = changes.map((change) => ({ document: this.#toDocument(change), vector }));
    for (const batch of splitIntoBatches(documents, REQUEST)) {
      await writeBatch(
        this.#client,
        batch.map(({ document }) => ({ '@search.action': 'merge', ...document })),
      );
    }
  }

  lookUp(rowIds: string[]): Promise<Set<string>> {
    if (rowIds.length === 0) return Promise.resolve(new Set());
    return lookUpKeys(this.#client, this.#indexFilter, rowIds);
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      const ofDocuments = isAmong('document_id', documentIds);
      await removeWhere(this.#client, all(this.#indexFilter, `version le ${version}`, ofDocuments));
    }
  }

  /**
   * Searches with both arms in one hybrid request. For more results than one response can contain, and if the response
   * lacks the scores of the arms, each arm has requests of its own.
   */
  async search({ dense, sparse, preFilter }: ChunkSearch): Promise<ChunkSearchResult> {
    const narrowed = preFilter && toODataFilter(preFilter, this.#filterable);
    const common = {
      filter: all(this.#indexFilter, ...(narrowed ? [narrowed] : [])),
      select: 'sluice_record',
    };
    const near = dense && { topK: dense.topK, body: toVectorSearch(dense) };
    const text = sparse && toLuceneQuery(sparse.weights);
    const worded = text === undefined ? undefined : { topK: sparse!.topK, body: toWordSearch(text) };
    if (near && worded) {
      const topK = Math.max(near.topK, worded.topK);
      const both =
        topK <= LARGEST_HYBRID && (await this.#searchBoth({ ...common, ...near.body, ...worded.body }, topK));
      if (both) return { dense: both.dense.slice(0, near.topK), sparse: both.sparse.slice(0, worded.topK) };
    }
    const find = async (
      arm: { body: object; topK: number } | undefined,
      convert: (score: number) => number,
    ) => {
      if (!arm) return [];
      const results = await searchPages(this.#client, { ...common, ...arm.body }, arm.topK, scoredRecords);
      return toFoundRecords(results, convert);
    };
    const [nearest, best] = await Promise.all([find(near, toCosine), find(worded, (score) => score)]);
    return { dense: nearest, sparse: best };
  }

  /**
   * Returns `undefined` if the response lacks the scores of the arms. Azure orders the results by the sum of 1 / (60 + rank)
   * of both arms. The first 2 k results therefore contain the first k results of each arm.
   */
  async #searchBoth(search: object, topK: number) {
    const body = { ...search, debug: 'vector', top: 2 * topK };
    const { value } = await searchDocuments(this.#client, body, fusedRecords);
    return separateArms(value);
  }

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
    const ofVersion = [equals('document_id', documentId), `version eq ${version}`];
    const filter = all(this.#indexFilter, ...ofVersion, `sluice_position ge ${from}`);
    return this.#read({ filter, orderby: 'sluice_position asc', top: limit });
  }

  find(nodeId: string): Promise<ChunkRecord[]> {
    return this.#read({ filter: all(this.#indexFilter, equals('sluice_node', nodeId)), top: PAGE });
  }

  drop(): Promise<void> {
    return removeWhere(this.#client, this.#indexFilter);
  }

  async #read(search: { filter: string; orderby?: string; top: number }): Promise<ChunkRecord[]> {
    const body = { search: '*', select: 'sluice_record', ...search };
    const { value } = await searchDocuments(this.#client, body, records);
    return toRecords(value);
  }

  #toDocument(record: RecordChange): Document {
    const { rowId, version, chunk, analysed } = record;
    return {
      id: rowId,
      sluice_index: this.#deps.indexId,
      document_id: chunk.documentId,
      version,
      sluice_node: chunk.id,
      sluice_position: chunk.position,
      sluice_record: encodeRecord(record),
      sluice_words: toWordsText(analysed),
      ...toFilterableFields(chunk.metadata, this.#filterable),
    };
  }
}

const toVectorSearch = ({ vector, topK }: { vector: Float32Array; topK: number }) => ({
  vectorQueries: [{ kind: 'vector', vector: [...vector], fields: 'vector', k: topK }],
  vectorFilterMode: 'preFilter',
});

const toWordSearch = (search: string) => ({
  search,
  queryType: 'full',
  searchMode: 'any',
  searchFields: 'sluice_words',
  // Without it, each part of the index would count only its own documents.
  scoringStatistics: 'global',
});
