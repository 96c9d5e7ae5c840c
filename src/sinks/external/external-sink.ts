import { inParallel } from '#src/lib/async/in-parallel.ts';
import { Conflict, DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import { SinkError, type SinkStore, type WholeDocument } from '#src/ports/sink.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { compareWithStore } from './compare.ts';
import { denseArm, NAMED_DOCUMENTS } from './dense-arm.ts';
import { batchesOf, pointsOf } from './points.ts';
import { type RestoringStore, restorePoints } from './restore.ts';
import type { VectorStore } from './vector-store.ts';

/** Removals that one call of the store carries when what is owed is made up for. */
const REMOVALS_AT_ONCE = 200;
/** How much of the time that a sink is waited for goes into what can be made up for later. */
const PATIENCE = 0.5;
const NO_VECTOR = new Float32Array(0);

interface Parts {
  store: VectorStore;
  index: ManagedIndex;
  deps: Pick<IndexDeps, 'indexId' | 'log' | 'settings'>;
  /** Filters that let no more documents through than so many are told to the store as those. */
  namedDocuments?: number;
}

/**
 * An index whose vectors are in an external store. Texts, metadata, versions, tombstones and the search by words are in
 * the index that Sluice keeps, and that one decides what is seen: what it has removed is gone at once, whatever the
 * store still holds. What the store was to delete and did not is written down, and deleted when it can be reached.
 */
export function externalSink(parts: Parts): SinkStore {
  const { store, index, deps, namedDocuments = NAMED_DOCUMENTS } = parts;
  const silence = deps.settings.SILENCE_SECONDS;
  return {
    ensure: (dimension) => store.ensure(dimension),
    async stage(document, chunks) {
      // First the store: what queries see is there. What is removed meanwhile is found out by the second step.
      await upsert(parts, [{ document, chunks }]);
      const isCurrent = await index.stage(document, chunks.map(withoutVector));
      if (!isCurrent) await forget(parts, [{ documentId: document.documentId, version: document.version }]);
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
      await index.ledger.owe(removals);
      await index.remove(documentIds, version);
      await forget(parts, removals, true);
    },
    async query(query) {
      const ask = () => denseArm(store, index, query, namedDocuments);
      // Without words in the query, the caller can only be told that the store did not answer.
      if (query.text === undefined || query.sparseTopK === 0) return ask();
      try {
        return await waitForStore(ask(), PATIENCE * silence);
      } catch (error) {
        if (!(error instanceof Upstream)) throw error;
        deps.log.warn('store did not answer a query', { index: deps.indexId, error: error.message });
        const { vector: _, ...byWords } = query;
        return { ...(await index.query(byWords)), warning: error.message };
      }
    },
    compare: () => compareWithStore(store, index, deps.indexId),
    async restore(documentIds, embed) {
      const patient = { store: makePatient(store, silence), index, indexId: deps.indexId };
      const { points, stale } = await restorePoints(patient, documentIds, embed);
      if (stale.length > 0) await forget(parts, stale);
      return points;
    },
    chunksOf: (documentId, page) => index.chunksOf(documentId, page),
    chunk: (id) => index.chunk(id),
    stats: () => index.stats(),
    async catchUp() {
      for (;;) {
        const removals = await index.ledger.owed(REMOVALS_AT_ONCE);
        if (removals.length === 0) return;
        await store.remove(removals);
        await index.ledger.settle(removals);
      }
    },
    async drop() {
      // Last the index: while it is there, somebody knows that the store is to be emptied.
      await store.drop();
      await index.drop();
    },
  };
}

/** Writes the points of documents to the store, after their documents are entered in the index. */
async function upsert({ store, index, deps }: Parts, documents: WholeDocument[]): Promise<void> {
  documents.forEach(refuseTwins);
  await index.enter(documents.map(({ document }) => document.documentId));
  const points = await Promise.all(
    documents.map(({ document, chunks }) => pointsOf(deps.indexId, document, chunks)),
  );
  for (const batch of batchesOf(points.flat(), store.limits)) await store.upsert(batch);
}

async function publish(
  parts: Parts,
  document: IndexedDocument,
  lastChunks: IndexedChunk[],
  chunkCount: number,
): Promise<boolean> {
  await upsert(parts, [{ document, chunks: lastChunks }]);
  const isSeen = await parts.index.publish(document, lastChunks.map(withoutVector), chunkCount);
  await forget(parts, [overtakenBy(document, isSeen)]);
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
    // The store refuses one of them, so each is published for itself.
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
    return result.status === 'fulfilled' ? [overtakenBy(document, result.value)] : [];
  });
  await forget(parts, removals);
  return published;
}

/**
 * Deletes in the store what queries do not see any more. What cannot be deleted now, or not soon, is entered in the
 * ledger (`areOwed`: it is there already): whoever removes a document does not wait for a store that is silent.
 */
async function forget(
  { store, index: { ledger }, deps }: Parts,
  removals: Removal[],
  areOwed = false,
): Promise<void> {
  const work = async () => {
    for (const some of slices(removals, REMOVALS_AT_ONCE)) {
      await store.remove(some);
      if (areOwed) await ledger.settle(some);
    }
  };
  try {
    await withTimeout(work(), PATIENCE * deps.settings.SILENCE_SECONDS);
  } catch (error) {
    if (!areOwed) await ledger.owe(removals);
    deps.log.warn('points not removed from the store yet', {
      index: deps.indexId,
      documents: removals.length,
      error: messageOf(error),
    });
  }
}

/** Returns the store with calls that fail with a retryable error after so many seconds of silence. */
function makePatient(store: VectorStore, silence: number): RestoringStore {
  return {
    limits: store.limits,
    ensure: (dimension) => waitForStore(store.ensure(dimension), silence),
    upsert: (points) => waitForStore(store.upsert(points), silence),
    lookUp: (points) => waitForStore(store.lookUp(points), silence),
  };
}

/** Waits for the store; silence of so many seconds fails with an error worth a retry. */
async function waitForStore<T>(work: Promise<T>, seconds: number): Promise<T> {
  try {
    return await withTimeout(work, seconds);
  } catch (cause) {
    if (!(cause instanceof TimedOut)) throw cause;
    throw new SinkError(`The data sink did not answer: ${cause.message}.`, { retryable: true, cause });
  }
}

/** What the store is to be rid of once a version was to be shown. */
function overtakenBy({ documentId, version }: IndexedDocument, isSeen: boolean): Removal {
  return { documentId, version: isSeen ? version - 1 : version };
}

/** Some stores would take it, and others refuse it in words of their own. */
function refuseTwins({ document, chunks }: WholeDocument): void {
  const positions = new Set(chunks.map(({ position }) => position));
  if (positions.size < chunks.length)
    throw new Conflict(`${document.documentId} has two chunks at one position`);
}

function withoutVector(chunk: IndexedChunk): IndexedChunk {
  return { ...chunk, vector: NO_VECTOR };
}

function slices<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
