import { Upstream } from '#src/lib/errors.ts';
import type { SinkAnswer, SinkQuery } from '#src/ports/index-types.ts';
import type { ShardAnswer } from '#src/ports/shard.ts';
import { SinkError } from '#src/ports/sink.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { getLatestVisibleTime } from './compare.ts';
import { buildPreFilter } from './pre-filter.ts';
import type { FoundPoint, SearchScope, VectorStore } from './vector-store.ts';

/**
 * Additional points that are requested, because some of the found points are not visible to queries. `share`
 * is relative to the wanted number, and `least` is added to it.
 */
const SPARE = { share: 0.5, least: 10 };
/**
 * Factor by which the number of requested points grows if too few of the found points belong to published
 * versions.
 */
const GROWTH = 4;
const LARGEST_PAGE = 10_000;
const ATTEMPTS = 6;
/** Maximum number of matching documents whose ids are sent to the vector store as a filter. */
export const MAX_NAMED_DOCUMENTS = 2_000;

/**
 * Searches by vector in the external store and by words in the index. Queries the store again while too few
 * results are visible, or if a result was replaced during the query.
 */
export async function searchDense(
  store: VectorStore,
  index: ManagedIndex,
  { vector, ...query }: SinkQuery,
  namedDocuments: number,
): Promise<SinkAnswer> {
  const { denseTopK: wanted } = query;
  if (vector === undefined || wanted === 0) return index.query(query);
  const start = performance.now();
  const largestPage = Math.min(LARGEST_PAGE, store.limits.largestPage ?? LARGEST_PAGE);
  const scope = await buildSearchScope(store, index, query, namedDocuments);
  const known = new Set<string>();
  let topK = Math.min(largestPage, Math.ceil(wanted * (1 + SPARE.share)) + SPARE.least);
  let seconds = (performance.now() - start) / 1000;
  for (let attempt = 1; ; attempt++) {
    const askedAt = performance.now();
    const candidates = await findNearestPoints(store, index, vector, topK, scope);
    seconds += (performance.now() - askedAt) / 1000;
    const { overtaken, ...answer } = await index.query({ ...query, candidates });
    const isEnough = answer.dense.length >= wanted || candidates.length < topK || topK === largestPage;
    const isSettled = !recordOvertaken(known, overtaken);
    if ((isEnough && isSettled) || attempt === ATTEMPTS) {
      return { ...answer, timings: { ...answer.timings, store: seconds } };
    }
    if (!isEnough) topK = Math.min(largestPage, topK * GROWTH);
  }
}

/**
 * Converts filters for the store. If few documents match, sends their ids. Otherwise sends the conditions
 * that the store supports. The store does not know the metadata that was set for single chunks, so it receives no
 * conditions on the keys of that metadata.
 */
async function buildSearchScope(
  store: VectorStore,
  index: ManagedIndex,
  { filters, chunkMetadata = [] }: Pick<SinkQuery, 'filters' | 'chunkMetadata'>,
  namedDocuments: number,
): Promise<SearchScope> {
  if (!filters) return {};
  const documentIds = await index.documentsMatching(filters, namedDocuments, chunkMetadata);
  if (documentIds) return { documentIds };
  const chunkKeys = new Set(
    chunkMetadata.flatMap(({ chunks }) => Object.values(chunks).flatMap(Object.keys)),
  );
  const preFilter = buildPreFilter(
    filters,
    (key, how) => !chunkKeys.has(key) && store.isFilterable(key, how),
  );
  return preFilter ? { preFilter } : {};
}

/**
 * Queries the store for the nearest points. Returns an empty list if the index is empty. Rejects if the store
 * finds no points although the index has chunks, because the store must have lost them.
 */
async function findNearestPoints(
  store: VectorStore,
  index: ManagedIndex,
  vector: Float32Array,
  topK: number,
  scope: SearchScope,
): Promise<FoundPoint[]> {
  if (scope.documentIds?.length === 0) return [];
  const isEmpty = async () => (await index.samplePoints(1, getLatestVisibleTime(store))).length === 0;
  try {
    const found = await store.query(vector, topK, scope);
    // The store may find nothing if the search is filtered. A vector of zeros has no direction, so nothing is
    // similar to it.
    const mayFindNothing = scope.documentIds || scope.preFilter || vector.every((x) => x === 0);
    if (found.length > 0 || mayFindNothing || (await isEmpty())) return found;
  } catch (error) {
    if (!(error instanceof Upstream && error.status === 404) || !(await isEmpty())) throw error;
    return [];
  }
  const message = 'The data sink contains no vectors of this index. Sync the pipeline to write them again.';
  throw new SinkError(message, { retryable: true, status: 404 });
}

/**
 * Records replaced versions. Returns true if one of them was not recorded yet, in which case the store has to
 * be queried again.
 */
function recordOvertaken(known: Set<string>, overtaken: ShardAnswer['overtaken'] = []): boolean {
  const before = known.size;
  for (const { documentId, version } of overtaken) known.add(`${version} ${documentId}`);
  return known.size > before;
}
