import { inParallel } from '#src/lib/async/in-parallel.ts';
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
import { type AstraClient, type AstraSettings, createAstraClient, PRODUCT } from './client.ts';
import { ensureCollection } from './collection.ts';
import { toAstraDocument } from './document.ts';
import { type AstraFilter, splitIntoSlices, toAstraFilter } from './filter.ts';
import { isFilterable, toStoredMetadata } from './metadata.ts';
import { deleted, found, named, updated } from './wire.ts';
import { writeDocuments } from './write.ts';

/** Limits that Astra DB sets for inserts, vector searches and lookups. */
const LIMITS = { points: 100, bytes: 8_000_000, largestPage: 1_000, lookedUp: 20 };
/**
 * Maximum number of calls per deletion or update, which prevents endless loops. Astra DB processes twenty
 * documents per call, so this is enough for any index.
 */
const MAX_CALLS = 500_000;

/** Stores the points of one index as documents of an Astra DB collection, which several indexes may share. */
export class AstraStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = isFilterable;
  readonly #settings: AstraSettings;
  readonly #indexId: string;
  readonly #client: AstraClient;
  readonly #indexFilter: { sluice_index: string };
  #ensured = false;

  constructor(settings: AstraSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#client = createAstraClient(settings, deps);
    this.#indexFilter = { sluice_index: deps.indexId };
  }

  async ensure(dimension: number): Promise<void> {
    const { embedding_dimension, collection_name } = this.#settings;
    if (embedding_dimension !== dimension) {
      const message = `${PRODUCT}: embedding_dimension is ${embedding_dimension}, but the embedding model returns ${dimension} dimensions. Change embedding_dimension or embedding_config.`;
      throw new SinkError(message, { retryable: false });
    }
    if (this.#ensured) return;
    await ensureCollection(this.#client, collection_name, dimension);
    this.#ensured = true;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    await writeDocuments(
      this.#client,
      points.map((point) => toAstraDocument(this.#indexId, point)),
    );
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const filter = { ...this.#indexFilter, document_id: documentId };
    const update = { $set: { title: title.toWellFormed(), ...toStoredMetadata(metadata) } };
    let pageState: string | undefined;
    for (let call = 0; call < MAX_CALLS; call++) {
      const command = { updateMany: { filter, update, ...(pageState && { options: { pageState } }) } };
      const { status } = await this.#client.sendToCollection(command, updated);
      if (!status.nextPageState) return;
      if (status.nextPageState === pageState) break;
      pageState = status.nextPageState;
    }
    throw createEndlessError('returned the same page of an update twice');
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      for (const some of splitIntoSlices(documentIds)) {
        await this.#removeWhere({ document_id: { $in: some }, version: { $lte: version } });
      }
    }
  }

  async query(vector: Float32Array, topK: number, scope: SearchScope = {}): Promise<FoundPoint[]> {
    const limit = Math.min(topK, LIMITS.largestPage);
    const pages = await inParallel(buildScopeFilters(scope), (filter) =>
      this.#findNear(vector, limit, filter),
    );
    return pages
      .flat()
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const filter = { _id: { $in: points.map(({ id }) => id) } };
    const options = { limit: LIMITS.lookedUp };
    const command = { find: { filter, projection: { _id: 1 }, options } };
    const existing = await ignoreNotFound(this.#client.sendToCollection(command, named));
    return new Set(existing?.data.documents.map(({ _id }) => _id));
  }

  async drop(): Promise<void> {
    await this.#removeWhere({});
  }

  async #removeWhere(filter: AstraFilter): Promise<void> {
    const command = { deleteMany: { filter: { ...this.#indexFilter, ...filter } } };
    for (let call = 0; call < MAX_CALLS; call++) {
      const answer = await ignoreNotFound(this.#client.sendToCollection(command, deleted));
      if (!answer?.status.moreData) return;
      if (answer.status.deletedCount < 1) break;
    }
    throw createEndlessError('deleted nothing but reported more documents to delete');
  }

  async #findNear(vector: Float32Array, limit: number, filter: AstraFilter): Promise<FoundPoint[]> {
    const command = {
      find: {
        filter: { ...this.#indexFilter, ...filter },
        sort: { $vector: [...vector] },
        projection: { document_id: 1, version: 1, position: 1 },
        options: { limit, includeSimilarity: true },
      },
    };
    const { data } = await this.#client.sendToCollection(command, found);
    return data.documents.flatMap((each) => {
      if (!each) return [];
      const { document_id: documentId, version, position, $similarity } = each;
      // Astra DB returns (1 + cosine) / 2, which is converted back to the cosine similarity.
      return [{ documentId, version, position, score: 2 * $similarity - 1 }];
    });
  }
}

/**
 * Returns filters that together cover all searched documents. One filter can name only a limited number of
 * document ids, so several may be needed.
 */
function buildScopeFilters({ documentIds, preFilter }: SearchScope): AstraFilter[] {
  if (documentIds) return splitIntoSlices(documentIds).map((some) => ({ document_id: { $in: some } }));
  return [(preFilter && toAstraFilter(preFilter)) ?? {}];
}

const createEndlessError = (what: string) => new SinkError(`${PRODUCT} ${what}.`, { retryable: true });
