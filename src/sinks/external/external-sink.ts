import { inParallel } from '#src/lib/async/in-parallel.ts';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import { SinkError, type SinkStore, type WholeDocument } from '#src/ports/sink.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { compareWithStore } from './compare.ts';
import { MAX_NAMED_DOCUMENTS, searchDense } from './dense-search.ts';
import { rejectDuplicatePositions, splitIntoBatches, toPoints } from './points.ts';
import { type RestoringStore, restorePoints } from './restore.ts';
import type { VectorStore } from './vector-store.ts';

/** Maximum number of removals per request when removals are repeated that failed earlier. */
const REMOVALS_AT_ONCE = 200;
/**
 * Share of the sink's time limit that is spent waiting for the store, if the work can be repeated later or
 * done without the store.
 */
const TIMEOUT_SHARE = 0.5;
const NO_VECTOR = new Float32Array(0);

interface Parts {
  store: VectorStore;
  index: ManagedIndex;
  deps: Pick<IndexDeps, 'indexId' | 'log' | 'settings'>;
  /** Maximum number of matching documents whose ids are sent to the vector store as a filter. */
  namedDocuments?: number;
}

/**
 * Combines an external vector store with an index that Sluice keeps. The index holds texts, metadata and
 * versions, and decides which versions queries see. Removed documents are therefore invisible at once.
 * Deletions that fail in the store are recorded and repeated later.
 */
export function externalSink(parts: Parts): SinkStore {
  const { store, index, deps, namedDocuments = MAX_NAMED_DOCUMENTS } = parts;
  const silence = deps.settings.SILENCE_SECONDS;
  return {
    ensure: (dimension) => store.ensure(dimension),
    async stage(document, chunks) {
      // Vectors are written to the store before chunks are staged, so that every visible chunk has its
      // vector.
      await upsert(parts, [{ document, chunks }]);
      const isCurrent = await index.stage(document, chunks.map(withoutVector));
      if (!isCurrent)
        await removeFromStore(parts, [{ documentId: document.documentId, version: document.version }]);
    },
    publish: (document, lastChunks, chunkCount) => publish(parts, document, lastChunks, chunkCount),
    publishMany: (documents) => publishMany(parts, documents),
    async describe(document) {
      await index.describe(document);
      await store.describe(document);
    },
    async remove(documentIds, version) {
      if (documentIds.length === 0) return;
      const removals = documentIds.map((documentId) => ({ documentId, version }));
      await index.pendingRemovals.recordRemovals(removals);
      await index.remove(documentIds, version);
      await removeFromStore(parts, removals, true);
    },
    async query(query) {
      const ask = () => searchDense(store, index, query, namedDocuments);
      // If the query has no words and no weights, sparse search cannot replace the dense search, so an error of the store is
      // not caught.
      const hasSparse = query.text !== undefined || query.weights !== undefined;
      if (!hasSparse || query.sparseTopK === 0) return ask();
      try {
        return await waitForStore(ask(), TIMEOUT_SHARE * silence);
      } catch (error) {
        if (!(error instanceof Upstream)) throw error;
        deps.log.warn('store did not answer a query', { index: deps.indexId, error: error.message });
        const { vector: _, ...sparse } = query;
        return { ...(await index.query(sparse)), warning: error.message };
      }
    },
    compare: () => compareWithStore(store, index, deps.indexId),
    async restore(documentIds, embed) {
      const patient = { store: withStoreTimeout(store, silence), index, indexId: deps.indexId };
      const { points, stale } = await restorePoints(patient, documentIds, embed);
      if (stale.length > 0) await removeFromStore(parts, stale);
      return points;
    },
    listChunks: (documentId, page) => index.listChunks(documentId, page),
    chunk: (id) => index.chunk(id),
    stats: () => index.stats(),
    async catchUp() {
      for (;;) {
        const removals = await index.pendingRemovals.listPendingRemovals(REMOVALS_AT_ONCE);
        if (removals.length === 0) return;
        await store.remove(removals);
        await index.pendingRemovals.completeRemovals(removals);
      }
    },
    async drop() {
      // The index is deleted after the store's points, because only the index records which points still have
      // to be deleted.
      await store.drop();
      await index.drop();
    },
  };
}

async function upsert({ store, index, deps }: Parts, documents: WholeDocument[]): Promise<void> {
  documents.forEach(rejectDuplicatePositions);
  await index.registerDocuments(documents.map(({ document }) => document.documentId));
  const points = await Promise.all(
    documents.map(({ document, chunks }) => toPoints(deps.indexId, document, chunks)),
  );
  for (const batch of splitIntoBatches(points.flat(), store.limits)) await store.upsert(batch);
}

async function publish(
  parts: Parts,
  document: IndexedDocument,
  lastChunks: IndexedChunk[],
  chunkCount: number,
): Promise<boolean> {
  await upsert(parts, [{ document, chunks: lastChunks }]);
  const isSeen = await parts.index.publish(document, lastChunks.map(withoutVector), chunkCount);
  await removeFromStore(parts, [toStaleRemoval(document, isSeen)]);
  return isSeen;
}

async function publishMany(
  parts: Parts,
  documents: WholeDocument[],
): Promise<PromiseSettledResult<boolean>[]> {
  try {
    await upsert(parts, documents);
  } catch (error) {
    if (!(error instanceof DomainError) || error.retryable || documents.length === 1) throw error;
    // If the store rejects one of the documents, all documents are published one by one.
    return inParallel(documents, async ({ document, chunks }) => {
      const work = publish(parts, document, chunks, chunks.length);
      return (await Promise.allSettled([work]))[0]!;
    });
  }
  const published = await parts.index.publishMany(
    documents.map(({ document, chunks }) => ({ document, chunks: chunks.map(withoutVector) })),
  );
  const removals = documents.flatMap(({ document }, at) => {
    const result = published[at]!;
    return result.status === 'fulfilled' ? [toStaleRemoval(document, result.value)] : [];
  });
  await removeFromStore(parts, removals);
  return published;
}

/**
 * Deletes versions in the store that queries no longer see. Deletions that fail or take too long are recorded
 * and repeated later. `areOwed` means that they are recorded already.
 */
async function removeFromStore(
  { store, index: { pendingRemovals: ledger }, deps }: Parts,
  removals: Removal[],
  areOwed = false,
): Promise<void> {
  const work = async () => {
    for (const some of splitIntoSlices(removals, REMOVALS_AT_ONCE)) {
      await store.remove(some);
      if (areOwed) await ledger.completeRemovals(some);
    }
  };
  try {
    await withTimeout(work(), TIMEOUT_SHARE * deps.settings.SILENCE_SECONDS);
  } catch (error) {
    if (!areOwed) await ledger.recordRemovals(removals);
    deps.log.warn('points not removed from the store yet', {
      index: deps.indexId,
      documents: removals.length,
      error: getErrorMessage(error),
    });
  }
}

/**
 * Returns the store with a time limit for each call. If the store does not answer within `silence` seconds,
 * the call fails with a retryable error.
 */
function withStoreTimeout(store: VectorStore, silence: number): RestoringStore {
  return {
    limits: store.limits,
    ensure: (dimension) => waitForStore(store.ensure(dimension), silence),
    upsert: (points) => waitForStore(store.upsert(points), silence),
    lookUp: (points) => waitForStore(store.lookUp(points), silence),
  };
}

/** Waits for a result of the store. Rejects with a retryable SinkError after the given number of seconds. */
async function waitForStore<T>(work: Promise<T>, seconds: number): Promise<T> {
  try {
    return await withTimeout(work, seconds);
  } catch (cause) {
    if (!(cause instanceof TimedOut)) throw cause;
    throw new SinkError(`The data sink did not answer within ${seconds} seconds.`, {
      retryable: true,
      cause,
    });
  }
}

/**
 * Returns the versions that the store must delete after an attempt to publish. If the new version is visible,
 * only older versions are deleted. Otherwise the new one is deleted too.
 */
function toStaleRemoval({ documentId, version }: IndexedDocument, isSeen: boolean): Removal {
  return { documentId, version: isSeen ? version - 1 : version };
}

function withoutVector(chunk: IndexedChunk): IndexedChunk {
  return { ...chunk, vector: NO_VECTOR };
}

function splitIntoSlices<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
