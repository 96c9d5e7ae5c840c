import { inParallel } from '#src/lib/async/in-parallel.ts';
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
import { type AstraClient, type AstraSettings, astraClient, KIND } from './client.ts';
import { ensureCollection } from './collection.ts';
import { documentOf } from './document.ts';
import { type AstraFilter, filterOf, slices } from './filter.ts';
import { isFilterable, storedMetadata } from './metadata.ts';
import { deleted, found, named, updated } from './wire.ts';
import { writeDocuments } from './write.ts';

/**
 * The vendor's limits on an insert and on a search by vector. Without a vector to sort by, the vendor answers a `find`
 * with pages of 20 documents.
 */
const LIMITS = { points: 100, bytes: 8_000_000, largestPage: 1_000, lookedUp: 20 };
/** The vendor deletes and updates twenty documents a call: no index has more documents than these calls reach. */
const MOST_CALLS = 500_000;

/** The documents of an index among those of a collection. */
export class AstraStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = isFilterable;
  readonly #settings: AstraSettings;
  readonly #indexId: string;
  readonly #client: AstraClient;
  readonly #ofIndex: { sluice_index: string };
  #ensured = false;

  constructor(settings: AstraSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#client = astraClient(settings, deps);
    this.#ofIndex = { sluice_index: deps.indexId };
  }

  async ensure(dimension: number): Promise<void> {
    const { embedding_dimension, collection_name } = this.#settings;
    if (embedding_dimension !== dimension) {
      const message = `The data sink (${KIND}) has an embedding_dimension of ${embedding_dimension}, and the embedding model gives vectors of ${dimension}: another embedding_dimension or another embedding_config is needed.`;
      throw new SinkError(message, { retryable: false });
    }
    if (this.#ensured) return;
    await ensureCollection(this.#client, collection_name, dimension);
    this.#ensured = true;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    await writeDocuments(
      this.#client,
      points.map((point) => documentOf(this.#indexId, point)),
    );
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const filter = { ...this.#ofIndex, document_id: documentId };
    const update = { $set: { title: title.toWellFormed(), ...storedMetadata(metadata) } };
    let pageState: string | undefined;
    for (let call = 0; call < MOST_CALLS; call++) {
      const command = { updateMany: { filter, update, ...(pageState && { options: { pageState } }) } };
      const { status } = await this.#client.toCollection(command, updated);
      if (!status.nextPageState) return;
      if (status.nextPageState === pageState) break;
      pageState = status.nextPageState;
    }
    throw endless('gives the same page of an update again');
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of byVersion(removals)) {
      for (const some of slices(documentIds)) {
        await this.#removeWhere({ document_id: { $in: some }, version: { $lte: version } });
      }
    }
  }

  async query(vector: Float32Array, topK: number, among: Among = {}): Promise<FoundPoint[]> {
    const limit = Math.min(topK, LIMITS.largestPage);
    const pages = await inParallel(filtersOf(among), (filter) => this.#findNear(vector, limit, filter));
    return pages
      .flat()
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const filter = { _id: { $in: points.map(({ id }) => id) } };
    const options = { limit: LIMITS.lookedUp };
    const command = { find: { filter, projection: { _id: 1 }, options } };
    const there = await unlessAbsent(this.#client.toCollection(command, named));
    return new Set(there?.data.documents.map(({ _id }) => _id));
  }

  async drop(): Promise<void> {
    await this.#removeWhere({});
  }

  async #removeWhere(filter: AstraFilter): Promise<void> {
    const command = { deleteMany: { filter: { ...this.#ofIndex, ...filter } } };
    for (let call = 0; call < MOST_CALLS; call++) {
      // A collection that is not there (yet, or any more) holds nothing to delete.
      const answer = await unlessAbsent(this.#client.toCollection(command, deleted));
      if (!answer?.status.moreData) return;
      if (answer.status.deletedCount < 1) break;
    }
    throw endless('deletes nothing and says that there is more');
  }

  async #findNear(vector: Float32Array, limit: number, filter: AstraFilter): Promise<FoundPoint[]> {
    const command = {
      find: {
        filter: { ...this.#ofIndex, ...filter },
        sort: { $vector: [...vector] },
        projection: { document_id: 1, version: 1, position: 1 },
        options: { limit, includeSimilarity: true },
      },
    };
    const { data } = await this.#client.toCollection(command, found);
    return data.documents.flatMap((each) => {
      if (!each) return [];
      const { document_id: documentId, version, position, $similarity } = each;
      // The vendor's scale of the cosine is 0 to 1.
      return [{ documentId, version, position, score: 2 * $similarity - 1 }];
    });
  }
}

/** Together these let through what is asked about: more documents than one filter can name are several filters. */
function filtersOf({ documentIds, narrowing }: Among): AstraFilter[] {
  if (documentIds) return slices(documentIds).map((some) => ({ document_id: { $in: some } }));
  return [(narrowing && filterOf(narrowing)) ?? {}];
}

const endless = (what: string) => new SinkError(`The data sink (${KIND}) ${what}.`, { retryable: true });
