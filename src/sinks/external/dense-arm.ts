import { Upstream } from '#src/lib/errors.ts';
import type { Filters, SinkAnswer, SinkQuery } from '#src/ports/index-types.ts';
import type { ShardAnswer } from '#src/ports/shard.ts';
import { SinkError } from '#src/ports/sink.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { writtenBy } from './compare.ts';
import { narrowingOf } from './narrowing.ts';
import type { Among, FoundPoint, VectorStore } from './vector-store.ts';

/** So many more than asked for come in the first page, for those that queries do not see. */
const SPARE = { share: 0.5, least: 10 };
/** How much larger the next page is when too few of one are seen. */
const GROWTH = 4;
const LARGEST_PAGE = 10_000;
/** The store is asked so often for one query at most. */
const ATTEMPTS = 6;
/** Filters that let no more documents through than these are told to the store as those. */
export const NAMED_DOCUMENTS = 2_000;

/**
 * The store's nearest points, as far as the index shows them; and the index's own answer by words. The store is asked
 * again while too few of its points are seen, and once more when one of them was replaced meanwhile: its successor may
 * not have been there yet.
 */
export async function denseArm(
  store: VectorStore,
  index: ManagedIndex,
  { vector, ...query }: SinkQuery,
  namedDocuments: number,
): Promise<SinkAnswer> {
  const { denseTopK: wanted, filters } = query;
  if (vector === undefined || wanted === 0) return index.query(query);
  const start = performance.now();
  const largestPage = Math.min(LARGEST_PAGE, store.limits.largestPage ?? LARGEST_PAGE);
  const among = await amongOf(store, index, filters, namedDocuments);
  const known = new Set<string>();
  let topK = Math.min(largestPage, Math.ceil(wanted * (1 + SPARE.share)) + SPARE.least);
  let seconds = (performance.now() - start) / 1000;
  for (let attempt = 1; ; attempt++) {
    const asked = performance.now();
    const candidates = await pointsNear(store, index, vector, topK, among);
    seconds += (performance.now() - asked) / 1000;
    const { overtaken, ...answer } = await index.query({ ...query, candidates });
    const isEnough = answer.dense.length >= wanted || candidates.length < topK || topK === largestPage;
    const isSettled = !noteNew(known, overtaken);
    if ((isEnough && isSettled) || attempt === ATTEMPTS) {
      return { ...answer, timings: { ...answer.timings, store: seconds } };
    }
    if (!isEnough) topK = Math.min(largestPage, topK * GROWTH);
  }
}

/** Few documents are named to the store; of many, it is told what can be said of them in its own terms. */
async function amongOf(
  store: VectorStore,
  index: ManagedIndex,
  filters: Filters | undefined,
  namedDocuments: number,
): Promise<Among> {
  if (!filters) return {};
  const documentIds = await index.documentsMatching(filters, namedDocuments);
  if (documentIds) return { documentIds };
  const narrowing = narrowingOf(filters, (key, how) => store.isFilterable(key, how));
  return narrowing ? { narrowing } : {};
}

/**
 * Asks the store for the nearest points. An index that holds nothing may have no place in the store yet: nothing is
 * near then. A store that finds nothing at all in an index that does hold chunks has lost them, which is an error: an
 * empty answer would say that no document is near.
 */
async function pointsNear(
  store: VectorStore,
  index: ManagedIndex,
  vector: Float32Array,
  topK: number,
  among: Among,
): Promise<FoundPoint[]> {
  if (among.documentIds?.length === 0) return [];
  const isEmpty = async () => (await index.samplePoints(1, writtenBy(store))).length === 0;
  try {
    const found = await store.query(vector, topK, among);
    // With a filter, or for a vector without a direction, nothing near is an ordinary answer.
    const mayFindNothing = among.documentIds || among.narrowing || vector.every((x) => x === 0);
    if (found.length > 0 || mayFindNothing || (await isEmpty())) return found;
  } catch (error) {
    if (!(error instanceof Upstream && error.status === 404) || !(await isEmpty())) throw error;
    return [];
  }
  const message =
    'The data sink holds none of the vectors of this index. A sync of the pipeline writes them again.';
  throw new SinkError(message, { retryable: true, status: 404 });
}

/** Whether the store was asked before one of these versions was known to be the published one. */
function noteNew(known: Set<string>, overtaken: ShardAnswer['overtaken'] = []): boolean {
  const before = known.size;
  for (const { documentId, version } of overtaken) known.add(`${version} ${documentId}`);
  return known.size > before;
}
