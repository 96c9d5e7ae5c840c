import { derivedId } from '#src/lib/ids.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SearchStore, StoredVersion } from '#src/sinks/native/search-store.ts';
import { searchVisible } from './ledger-query.ts';
import { findVisibleChunk, listVisibleChunks } from './ledger-read.ts';
import {
  describeDocument,
  type LedgerParts,
  publishVersions,
  stageChunks,
  tryToRemove,
} from './ledger-write.ts';

/** Maximum number of removals per request when removals are repeated that failed earlier. */
const REMOVALS_AT_ONCE = 200;

/**
 * Opens an index whose whole search is in a store without transactions. The ledger decides which versions searches show.
 * A removal or a new version is therefore visible at once and as a whole, even if the store is slow or down.
 */
export function createLedgerSearch(parts: LedgerParts): SearchStore {
  const { store, ledger } = parts;
  return {
    ensure: (dimension) => store.ensure(dimension),
    stage: (document, chunks) => stageChunks(parts, document, chunks),
    publish: (versions) => publishVersions(parts, versions),
    describe: (document, analyse) => describeDocument(parts, document, analyse),
    async remove(removals) {
      await ledger.remove(removals);
      // The deletion stays recorded and is repeated by the next sync, because an attempt that began before may still write
      // chunks and be interrupted.
      await tryToRemove(parts, removals);
    },
    search: (request) => searchVisible(parts, request),
    listChunks: (documentId, page) => listVisibleChunks(parts, documentId, page),
    chunk: (id) => findVisibleChunk(parts, id),
    stats: () => ledger.stats(),
    findVersions: (documentIds) => findVersions(parts, documentIds),
    tidy: () => repeatRemovals(parts),
    async drop() {
      // The ledger comes last, because an index without entries would be taken for one without chunks.
      await store.drop();
      await ledger.drop();
    },
  };
}

/** Deletes chunks in the store that earlier calls may have left there. */
async function repeatRemovals(parts: LedgerParts): Promise<void> {
  for (;;) {
    const removals: Removal[] = await parts.ledger.listLeftovers(REMOVALS_AT_ONCE);
    if (removals.length === 0) return;
    await parts.store.remove(removals);
    await parts.ledger.settle(removals);
  }
}

/**
 * Returns what the ledger knows of documents, and how many of their chunks the store has. One request looks up as many
 * chunks as the store allows. All others count as stored. Without chunks, a name that never exists is looked up, so that
 * an unreachable store is noticed.
 */
async function findVersions(
  { store, ledger, deps: { indexId } }: LedgerParts,
  documentIds: string[],
): Promise<StoredVersion[]> {
  const entries = await ledger.find(documentIds);
  const lookedUp = new Map<string, string[]>();
  let free = store.limits.lookedUp;
  for (const [documentId, { version, chunks }] of entries) {
    if (version === null || free === 0) continue;
    const positions = Array.from({ length: Math.min(chunks, free) }, (_, position) => position);
    free -= positions.length;
    const names = positions.map((position) => derivedId('point', indexId, documentId, version, position));
    lookedUp.set(documentId, await Promise.all(names));
  }
  const rowIds = [...lookedUp.values()].flat();
  const found = await store.lookUp(
    rowIds.length > 0 ? rowIds : [await derivedId('point', indexId, '', 0, 0)],
  );
  return [...entries].map(([documentId, { version, removed, chunks }]) => {
    const missing = (lookedUp.get(documentId) ?? []).filter((rowId) => !found.has(rowId)).length;
    return { documentId, version, removed, chunks: chunks - missing };
  });
}
