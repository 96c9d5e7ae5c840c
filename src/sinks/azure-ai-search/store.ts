import type { z } from 'zod';
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
import { type AzureSearchClient, createAzureSearchClient } from './client.ts';
import { toSearchDocument, toSharedFields } from './document.ts';
import { all, equals, isAmong, quoted, toODataFilter } from './filter.ts';
import { type FilterableKey, parseFilterableKeys } from './filterable.ts';
import { ensureIndex } from './search-index.ts';
import { type AzureSearchSettings, getIndexName, PRODUCT } from './settings.ts';
import { found, keys } from './wire.ts';
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
const PAGE = 1_000;
/**
 * Maximum number of pages of a listing, which prevents endless loops. No index has more documents than these
 * pages hold.
 */
const MAX_PAGES = 100_000;

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
    const { embedding_dimension: given } = this.#settings;
    if (typeof given === 'number' && given !== dimension) {
      const message = `${PRODUCT}: embedding_dimension is ${given}, but the embedding model returns ${dimension} dimensions. Change embedding_dimension or embedding_config.`;
      throw new SinkError(message, { retryable: false });
    }
    if (this.#ensured) return;
    await ensureIndex(this.#client, getIndexName(this.#settings), this.#filterable, dimension);
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
    for await (const ids of this.#findKeys(all(this.#indexFilter, equals('document_id', documentId)))) {
      await writeBatch(
        this.#client,
        ids.map((id) => ({ '@search.action': 'merge', id, ...changes })),
      );
    }
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      const ofDocuments = isAmong('document_id', documentIds);
      await this.#removeWhere(all(this.#indexFilter, `version le ${version}`, ofDocuments));
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
    const points: FoundPoint[] = [];
    for (let skip = 0; skip < k; ) {
      const top = Math.min(PAGE, k - skip);
      const { value } = await this.#search({ ...search, top, skip }, found);
      points.push(...value.flatMap((each) => (each ? [toFoundPoint(each)] : [])));
      skip += value.length;
      if (value.length < top) break;
    }
    return points.slice(0, k);
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = points.map(({ id }) => id);
    const filter = all(this.#indexFilter, isAmong('id', ids));
    const body = { search: '*', filter, select: 'id', top: ids.length };
    const page = await ignoreNotFound(this.#search(body, keys));
    return new Set(page?.value.map(({ id }) => id));
  }

  async drop(): Promise<void> {
    await this.#removeWhere(this.#indexFilter);
  }

  #search<T>(body: object, schema: z.ZodType<T>): Promise<T> {
    const path = `${this.#client.indexPath}/docs/search.post.search`;
    return this.#client.ask({ method: 'POST', path, body }, schema);
  }

  #filterFor({ documentIds, preFilter }: SearchScope): string {
    const narrowed = preFilter && toODataFilter(preFilter, this.#filterable);
    return all(
      this.#indexFilter,
      ...(documentIds ? [isAmong('document_id', documentIds)] : []),
      ...(narrowed ? [narrowed] : []),
    );
  }

  /** Yields pages of document keys, in ascending order. Azure can change and delete documents only by key. */
  async *#findKeys(filter: string): AsyncGenerator<string[]> {
    let last: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const onward = last === undefined ? [] : [`id gt ${quoted(last)}`];
      const { value } = await this.#search(
        { search: '*', filter: all(filter, ...onward), select: 'id', orderby: 'id asc', top: PAGE },
        keys,
      );
      const ids = value.map(({ id }) => id);
      if (ids.length === 0) return;
      if (last !== undefined && ids.includes(last)) {
        throw new SinkError(`${PRODUCT} returned the same page twice.`, { retryable: true });
      }
      yield ids;
      last = ids.at(-1);
    }
    throw new SinkError(`${PRODUCT} returned more pages than an index can have.`, { retryable: true });
  }

  /** Deletes matching documents. Does nothing if the Azure index is missing. */
  async #removeWhere(filter: string): Promise<void> {
    await ignoreNotFound(this.#removeEach(filter));
  }

  async #removeEach(filter: string): Promise<void> {
    for await (const ids of this.#findKeys(filter)) {
      await writeBatch(
        this.#client,
        ids.map((id) => ({ '@search.action': 'delete', id })),
      );
    }
  }
}

interface Found {
  document_id: string;
  version: number;
  position: number;
  '@search.score': number;
}

/** Converts a search result to a point. Azure's score is 1 / (2 - cosine). */
const toFoundPoint = ({ document_id, version, position, '@search.score': score }: Found): FoundPoint => ({
  documentId: document_id,
  version,
  position,
  score: 2 - 1 / score,
});
