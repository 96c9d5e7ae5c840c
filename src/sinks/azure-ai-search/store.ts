import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { FoundPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { azureSearchClient } from './client.ts';
import { described, documentOf } from './document.ts';
import { all, equals, filterOf, isAmong, quoted } from './filter.ts';
import { filterableOf } from './filterable.ts';
import { ensureIndex } from './search-index.ts';
import { type AzureSearchSettings, indexNameOf, KIND } from './settings.ts';
import { found, keys as keysOfPage } from './wire.ts';
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
export function azureSearchStore(
  settings: AzureSearchSettings,
  deps: SinkDeps & { indexId: string },
): VectorStore {
  const client = azureSearchClient(settings, deps);
  const filterable = filterableOf(settings.filterable_metadata_field_keys);
  const ofIndex = equals('sluice_index', deps.indexId);
  const search = `${client.ofIndex}/docs/search.post.search`;
  let ensured = false;

  /** Keys of documents, in their order a page at a time: the vendor changes and deletes by key alone. */
  async function* keysWhere(filter: string): AsyncGenerator<string[]> {
    let last: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const onward = last === undefined ? [] : [`id gt ${quoted(last)}`];
      const body = {
        search: '*',
        filter: all(filter, ...onward),
        select: 'id',
        orderby: 'id asc',
        top: PAGE,
      };
      const { value } = await client.ask({ method: 'POST', path: search, body }, keysOfPage);
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

  async function removeEach(filter: string): Promise<void> {
    for await (const ids of keysWhere(filter)) {
      await writeBatch(
        client,
        ids.map((id) => ({ '@search.action': 'delete', id })),
      );
    }
  }

  /** An index that is not there (yet, or any more) holds nothing to delete. */
  const removeWhere = async (filter: string): Promise<void> => {
    await unlessAbsent(removeEach(filter));
  };

  return {
    limits: LIMITS,
    async ensure(dimension) {
      const { embedding_dimension: given } = settings;
      if (typeof given === 'number' && given !== dimension) {
        const message = `The data sink (${KIND}) has an embedding_dimension of ${given}, and the embedding model gives vectors of ${dimension}: another embedding_dimension or another embedding_config is needed.`;
        throw new SinkError(message, { retryable: false });
      }
      if (ensured) return;
      await ensureIndex(client, indexNameOf(settings), filterable, dimension);
      ensured = true;
    },
    upsert: (points) =>
      writeBatch(
        client,
        points.map((point) => ({
          '@search.action': 'mergeOrUpload',
          ...documentOf(deps.indexId, point, filterable),
        })),
      ),
    async describe({ documentId, title, metadata }) {
      const changes = described(title, metadata, filterable);
      for await (const ids of keysWhere(all(ofIndex, equals('document_id', documentId)))) {
        await writeBatch(
          client,
          ids.map((id) => ({ '@search.action': 'merge', id, ...changes })),
        );
      }
    },
    async remove(removals) {
      for (const [version, documentIds] of byVersion(removals)) {
        await removeWhere(all(ofIndex, `version le ${version}`, isAmong('document_id', documentIds)));
      }
    },
    isFilterable: (key) => filterable.some((each) => each.key === key),
    async query(vector, topK, { documentIds, narrowing } = {}) {
      const narrowed = narrowing && filterOf(narrowing, filterable);
      const filter = all(
        ofIndex,
        ...(documentIds ? [isAmong('document_id', documentIds)] : []),
        ...(narrowed ? [narrowed] : []),
      );
      const k = Math.min(topK, LIMITS.largestPage);
      const points: FoundPoint[] = [];
      for (let skip = 0; skip < k; ) {
        const body = {
          vectorQueries: [{ kind: 'vector', vector: [...vector], fields: 'vector', k }],
          vectorFilterMode: 'preFilter',
          filter,
          select: 'document_id,version,position',
          top: Math.min(PAGE, k - skip),
          skip,
        };
        const { value } = await client.ask({ method: 'POST', path: search, body }, found);
        points.push(...value.flatMap((each) => (each ? [pointOf(each)] : [])));
        skip += value.length;
        if (value.length < body.top) break;
      }
      return points.slice(0, k);
    },
    async lookUp(points) {
      const ids = points.map(({ id }) => id);
      const body = { search: '*', filter: all(ofIndex, isAmong('id', ids)), select: 'id', top: ids.length };
      const page = await unlessAbsent(client.ask({ method: 'POST', path: search, body }, keysOfPage));
      return new Set(page?.value.map(({ id }) => id));
    },
    drop: () => removeWhere(ofIndex),
  };
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
