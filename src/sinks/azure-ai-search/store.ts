import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { type AzureSearchClient, createAzureSearchClient } from './client.ts';
import { toSearchDocument, toSharedFields } from './document.ts';
import { findKeys, lookUpKeys, removeWhere, searchPages } from './documents.ts';
import { all, equals, isAmong, toODataFilter } from './filter.ts';
import { type FilterableKey, parseFilterableKeys } from './filterable.ts';
import { ensureIndex, rejectOtherDimension } from './search-index.ts';
import { type AzureSearchSettings, getIndexName } from './settings.ts';
import { found, toCosine } from './wire.ts';
import { writeBatch } from './write.ts';

/**
 * Limits per batch. Azure accepts 1,000 documents and 16 MB. A written document may be twice as large as its
 * counted bytes.
 */
const LIMITS = {
  ...{ points: 1_000, bytes: 7_000_000, largestPage: 10_000, lookedUp: 1_000 },
  // Time in seconds after which searches find a written document for certain.
  shownAfter: 60,
};

/**
 * Stores the points of one index as documents of an Azure index, which several indexes of Sluice may share.
 */
export class AzureSearchStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = (key) =>
    this.#filterable.some((each) => each.key === key);
  readonly #settings: AzureSearchSettings;
  readonly #indexId: string;
  readonly #client: AzureSearchClient;
  readonly #filterable: FilterableKey[];
  /** OData filter that selects the documents of this index of Sluice. */
  readonly #indexFilter: string;
  #ensured = false;

  constructor(settings: AzureSearchSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#client = createAzureSearchClient(settings, deps);
    this.#filterable = parseFilterableKeys(settings.filterable_metadata_field_keys);
    this.#indexFilter = equals('sluice_index', deps.indexId);
  }

  async ensure(dimension: number): Promise<void> {
    rejectOtherDimension(this.#settings, dimension);
    if (this.#ensured) return;
    await ensureIndex(this.#client, getIndexName(this.#settings), { keys: this.#filterable, dimension });
    this.#ensured = true;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    const documents = points.map((point) => toSearchDocument(this.#indexId, point, this.#filterable));
    await writeBatch(
      this.#client,
      documents.map((document) => ({ '@search.action': 'mergeOrUpload', ...document })),
    );
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const changes = toSharedFields(title, metadata, this.#filterable);
    for await (const ids of findKeys(
      this.#client,
      all(this.#indexFilter, equals('document_id', documentId)),
    )) {
      await writeBatch(
        this.#client,
        ids.map((id) => ({ '@search.action': 'merge', id, ...changes })),
      );
    }
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      const ofDocuments = isAmong('document_id', documentIds);
      await removeWhere(this.#client, all(this.#indexFilter, `version le ${version}`, ofDocuments));
    }
  }

  async query(vector: Float32Array, topK: number, scope: SearchScope = {}): Promise<FoundPoint[]> {
    const k = Math.min(topK, LIMITS.largestPage);
    const search = {
      vectorQueries: [{ kind: 'vector', vector: [...vector], fields: 'vector', k }],
      vectorFilterMode: 'preFilter',
      filter: this.#filterFor(scope),
      select: 'document_id,version,position',
    };
    const results = await searchPages(this.#client, search, k, found);
    return results.flatMap((each) => (each ? [toFoundPoint(each)] : []));
  }

  lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = points.map(({ id }) => id);
    return lookUpKeys(this.#client, this.#indexFilter, ids);
  }

  drop(): Promise<void> {
    return removeWhere(this.#client, this.#indexFilter);
  }

  #filterFor({ documentIds, preFilter }: SearchScope): string {
    const narrowed = preFilter && toODataFilter(preFilter, this.#filterable);
    return all(
      this.#indexFilter,
      ...(documentIds ? [isAmong('document_id', documentIds)] : []),
      ...(narrowed ? [narrowed] : []),
    );
  }
}

interface Found {
  document_id: string;
  version: number;
  position: number;
  '@search.score': number;
}

const toFoundPoint = ({ document_id, version, position, '@search.score': score }: Found): FoundPoint => ({
  documentId: document_id,
  version,
  position,
  score: toCosine(score),
});
