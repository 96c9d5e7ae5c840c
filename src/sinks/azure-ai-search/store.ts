import type { z } from 'zod';
import type { Removal } from '#src/ports/shard.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type {
  Among,
  Description,
  FoundPoint,
  PointName,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { type AzureSearchClient, azureSearchClient } from './client.ts';
import { described, documentOf } from './document.ts';
import { all, equals, filterOf, isAmong, quoted } from './filter.ts';
import { type FilterableKey, filterableOf } from './filterable.ts';
import { ensureIndex } from './search-index.ts';
import { type AzureSearchSettings, indexNameOf, KIND } from './settings.ts';
import { found, keys } from './wire.ts';
import { writeBatch } from './write.ts';

/** The vendor's: 1,000 documents and 16 MB a batch; written down, a document takes up to twice of what is counted. */
const LIMITS = {
  ...{ points: 1_000, bytes: 7_000_000, largestPage: 10_000, lookedUp: 1_000 },
  // The vendor shows a document to searches some seconds after it was written.
  shownAfter: 60,
};
const PAGE = 1_000;
/** No index has more documents than so many pages hold. */
const MOST_PAGES = 100_000;

/** The documents of one of Sluice's indexes among those of an index of the vendor's. */
export class AzureSearchStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = (key) =>
    this.#filterable.some((each) => each.key === key);
  readonly #settings: AzureSearchSettings;
  readonly #indexId: string;
  readonly #client: AzureSearchClient;
  readonly #filterable: FilterableKey[];
  /** Filter that only documents of this index pass. */
  readonly #ofIndex: string;
  #ensured = false;

  constructor(settings: AzureSearchSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#client = azureSearchClient(settings, deps);
    this.#filterable = filterableOf(settings.filterable_metadata_field_keys);
    this.#ofIndex = equals('sluice_index', deps.indexId);
  }

  async ensure(dimension: number): Promise<void> {
    const { embedding_dimension: given } = this.#settings;
    if (typeof given === 'number' && given !== dimension) {
      const message = `The data sink (${KIND}) has an embedding_dimension of ${given}, and the embedding model gives vectors of ${dimension}: another embedding_dimension or another embedding_config is needed.`;
      throw new SinkError(message, { retryable: false });
    }
    if (this.#ensured) return;
    await ensureIndex(this.#client, indexNameOf(this.#settings), this.#filterable, dimension);
    this.#ensured = true;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    const documents = points.map((point) => documentOf(this.#indexId, point, this.#filterable));
    await writeBatch(
      this.#client,
      documents.map((document) => ({ '@search.action': 'mergeOrUpload', ...document })),
    );
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const changes = described(title, metadata, this.#filterable);
    for await (const ids of this.#findKeys(all(this.#ofIndex, equals('document_id', documentId)))) {
      await writeBatch(
        this.#client,
        ids.map((id) => ({ '@search.action': 'merge', id, ...changes })),
      );
    }
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of byVersion(removals)) {
      const ofDocuments = isAmong('document_id', documentIds);
      await this.#removeWhere(all(this.#ofIndex, `version le ${version}`, ofDocuments));
    }
  }

  async query(vector: Float32Array, topK: number, among: Among = {}): Promise<FoundPoint[]> {
    const k = Math.min(topK, LIMITS.largestPage);
    const search = {
      vectorQueries: [{ kind: 'vector', vector: [...vector], fields: 'vector', k }],
      vectorFilterMode: 'preFilter',
      filter: this.#filterFor(among),
      select: 'document_id,version,position',
    };
    const points: FoundPoint[] = [];
    for (let skip = 0; skip < k; ) {
      const top = Math.min(PAGE, k - skip);
      const { value } = await this.#search({ ...search, top, skip }, found);
      points.push(...value.flatMap((each) => (each ? [pointOf(each)] : [])));
      skip += value.length;
      if (value.length < top) break;
    }
    return points.slice(0, k);
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = points.map(({ id }) => id);
    const filter = all(this.#ofIndex, isAmong('id', ids));
    const body = { search: '*', filter, select: 'id', top: ids.length };
    const page = await unlessAbsent(this.#search(body, keys));
    return new Set(page?.value.map(({ id }) => id));
  }

  async drop(): Promise<void> {
    await this.#removeWhere(this.#ofIndex);
  }

  #search<T>(body: object, schema: z.ZodType<T>): Promise<T> {
    const path = `${this.#client.ofIndex}/docs/search.post.search`;
    return this.#client.ask({ method: 'POST', path, body }, schema);
  }

  #filterFor({ documentIds, narrowing }: Among): string {
    const narrowed = narrowing && filterOf(narrowing, this.#filterable);
    return all(
      this.#ofIndex,
      ...(documentIds ? [isAmong('document_id', documentIds)] : []),
      ...(narrowed ? [narrowed] : []),
    );
  }

  /** Yields pages of the keys of documents, in their order. The vendor changes and deletes documents by key alone. */
  async *#findKeys(filter: string): AsyncGenerator<string[]> {
    let last: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const onward = last === undefined ? [] : [`id gt ${quoted(last)}`];
      const { value } = await this.#search(
        { search: '*', filter: all(filter, ...onward), select: 'id', orderby: 'id asc', top: PAGE },
        keys,
      );
      const ids = value.map(({ id }) => id);
      if (ids.length === 0) return;
      if (last !== undefined && ids.includes(last)) {
        throw new SinkError(`The data sink (${KIND}) gives the same page again.`, { retryable: true });
      }
      yield ids;
      last = ids.at(-1);
    }
    throw new SinkError(`The data sink (${KIND}) gives ever new pages.`, { retryable: true });
  }

  /** An index that is not there (yet, or any more) holds nothing to delete. */
  async #removeWhere(filter: string): Promise<void> {
    await unlessAbsent(this.#removeEach(filter));
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

/** The vendor's score is 1 / (2 - cosine). */
const pointOf = ({ document_id, version, position, '@search.score': score }: Found): FoundPoint => ({
  documentId: document_id,
  version,
  position,
  score: 2 - 1 / score,
});
