import { inParallel } from '#src/lib/async/in-parallel.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { Among, FoundPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { type AstraSettings, astraClient, KIND } from './client.ts';
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
export function astraStore(settings: AstraSettings, deps: SinkDeps & { indexId: string }): VectorStore {
  const client = astraClient(settings, deps);
  const ofIndex = { sluice_index: deps.indexId };
  let ensured = false;

  async function removeWhere(filter: AstraFilter): Promise<void> {
    const command = { deleteMany: { filter: { ...ofIndex, ...filter } } };
    for (let call = 0; call < MOST_CALLS; call++) {
      // A collection that is not there (yet, or any more) holds nothing to delete.
      const answer = await unlessAbsent(client.toCollection(command, deleted));
      if (!answer?.status.moreData) return;
      if (answer.status.deletedCount < 1) break;
    }
    throw endless('deletes nothing and says that there is more');
  }

  async function near(vector: Float32Array, limit: number, filter: AstraFilter): Promise<FoundPoint[]> {
    const command = {
      find: {
        filter: { ...ofIndex, ...filter },
        sort: { $vector: [...vector] },
        projection: { document_id: 1, version: 1, position: 1 },
        options: { limit, includeSimilarity: true },
      },
    };
    const { data } = await client.toCollection(command, found);
    return data.documents.flatMap((each) => {
      if (!each) return [];
      const { document_id: documentId, version, position, $similarity } = each;
      // The vendor's scale of the cosine is 0 to 1.
      return [{ documentId, version, position, score: 2 * $similarity - 1 }];
    });
  }

  return {
    limits: LIMITS,
    async ensure(dimension) {
      const { embedding_dimension, collection_name } = settings;
      if (embedding_dimension !== dimension) {
        const message = `The data sink (${KIND}) has an embedding_dimension of ${embedding_dimension}, and the embedding model gives vectors of ${dimension}: another embedding_dimension or another embedding_config is needed.`;
        throw new SinkError(message, { retryable: false });
      }
      if (ensured) return;
      await ensureCollection(client, collection_name, dimension);
      ensured = true;
    },
    upsert: (points) =>
      writeDocuments(
        client,
        points.map((point) => documentOf(deps.indexId, point)),
      ),
    async describe({ documentId, title, metadata }) {
      const filter = { ...ofIndex, document_id: documentId };
      const update = { $set: { title: title.toWellFormed(), ...storedMetadata(metadata) } };
      let pageState: string | undefined;
      for (let call = 0; call < MOST_CALLS; call++) {
        const command = { updateMany: { filter, update, ...(pageState && { options: { pageState } }) } };
        const { status } = await client.toCollection(command, updated);
        if (!status.nextPageState) return;
        if (status.nextPageState === pageState) break;
        pageState = status.nextPageState;
      }
      throw endless('gives the same page of an update again');
    },
    async remove(removals) {
      for (const [version, documentIds] of byVersion(removals)) {
        for (const some of slices(documentIds)) {
          await removeWhere({ document_id: { $in: some }, version: { $lte: version } });
        }
      }
    },
    isFilterable,
    async query(vector, topK, among = {}) {
      const limit = Math.min(topK, LIMITS.largestPage);
      const pages = await inParallel(filtersOf(among), (filter) => near(vector, limit, filter));
      return pages
        .flat()
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },
    async lookUp(points) {
      const filter = { _id: { $in: points.map(({ id }) => id) } };
      const options = { limit: LIMITS.lookedUp };
      const command = { find: { filter, projection: { _id: 1 }, options } };
      const there = await unlessAbsent(client.toCollection(command, named));
      return new Set(there?.data.documents.map(({ _id }) => _id));
    },
    drop: () => removeWhere({}),
  };
}

/** Together these let through what is asked about: more documents than one filter can name are several filters. */
function filtersOf({ documentIds, narrowing }: Among): AstraFilter[] {
  if (documentIds) return slices(documentIds).map((some) => ({ document_id: { $in: some } }));
  return [(narrowing && filterOf(narrowing)) ?? {}];
}

const endless = (what: string) => new SinkError(`The data sink (${KIND}) ${what}.`, { retryable: true });
