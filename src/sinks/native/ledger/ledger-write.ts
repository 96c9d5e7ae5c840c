import { getErrorMessage } from '#src/lib/errors.ts';
import type { IndexedDocument } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { splitIntoBatches } from '#src/sinks/external/points.ts';
import type { Description } from '#src/sinks/external/vector-store.ts';
import type {
  AnalyseStored,
  NewVersion,
  PublishResult,
  SearchChunk,
} from '#src/sinks/native/search-store.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import type { ChunkStore } from './chunk-store.ts';
import { readPages } from './ledger-read.ts';
import { toNewRecords } from './records.ts';
import type {
  CompleteVersion,
  LanguageCounts,
  Languages,
  LedgerEntry,
  VersionLedger,
} from './version-ledger.ts';

export interface LedgerParts {
  store: ChunkStore;
  ledger: VersionLedger;
  deps: Pick<SinkDeps, 'log' | 'settings'> & { indexId: string };
}

/** Share of the sink's time limit that is spent waiting for a deletion, which can be repeated later. */
const TIMEOUT_SHARE = 0.5;
/** Number of chunks that are changed at a time if title or metadata change. */
const CHANGED_AT_ONCE = 200;
const encoder = new TextEncoder();

const isOutdated = (entry: LedgerEntry | undefined, version: number): boolean =>
  entry !== undefined && (entry.removed >= version || (entry.version ?? -1) > version);

/** Writes chunks that searches do not see, unless their version is outdated or visible already. */
export async function stageChunks(
  parts: LedgerParts,
  document: IndexedDocument,
  chunks: SearchChunk[],
): Promise<void> {
  const { store, ledger } = parts;
  const { documentId, version } = document;
  const entry = (await ledger.open([documentId])).get(documentId);
  if (isOutdated(entry, version) || entry?.version === version) return;
  await writeChunks(store, [{ document, chunks }], await ledger.languages());
  // If the document was removed in the meantime, the removal may have come before the chunks.
  const after = (await ledger.find([documentId])).get(documentId);
  if (isOutdated(after, version)) await removeFromStore(parts, [{ documentId, version }]);
}

/**
 * Writes the last chunks of versions, and makes the complete versions visible with one change of the ledger. Chunks of
 * the versions that they replace are deleted afterwards.
 */
export async function publishVersions(parts: LedgerParts, versions: NewVersion[]): Promise<PublishResult[]> {
  const { store, ledger } = parts;
  const before = await ledger.open(versions.map(({ document }) => document.documentId));
  const getEntry = ({ document }: NewVersion) => before.get(document.documentId);
  const fresh = versions.filter((each) => {
    const entry = getEntry(each);
    return !isOutdated(entry, each.document.version) && entry?.version !== each.document.version;
  });
  if (fresh.length > 0) await writeChunks(store, fresh, await ledger.languages());
  const complete: CompleteVersion[] = [];
  for (const each of fresh) {
    const chunks = await countChunks(store, each);
    const { documentId, version } = each.document;
    if (chunks) complete.push({ documentId, version, ...chunks, hasEarlier: getEntry(each) !== undefined });
  }
  const published = await ledger.publish(complete);
  const completeIds = new Set(complete.map(({ documentId }) => documentId));
  const results = versions.map((each): PublishResult => {
    const { documentId, version } = each.document;
    if (!fresh.includes(each)) return isOutdated(getEntry(each), version) ? 'outdated' : 'published';
    if (!completeIds.has(documentId)) return 'incomplete';
    return published.has(documentId) ? 'published' : 'outdated';
  });
  const outdated = versions.filter((_, at) => results[at] === 'outdated');
  await removeFromStore(parts, [
    ...listReplaced(complete, published),
    ...outdated.map(({ document: { documentId, version } }) => ({ documentId, version })),
  ]);
  return results;
}

async function writeChunks(
  store: ChunkStore,
  versions: { document: IndexedDocument; chunks: SearchChunk[] }[],
  languages: Languages,
): Promise<void> {
  const records = versions.flatMap(({ document, chunks }) => toNewRecords(document, chunks));
  const meanLength = getMeanLength(languages) || getMean(records.map(({ length }) => length)) || 1;
  const complete = records.map((record) => ({ ...record, meanLength }));
  for (const batch of splitIntoBatches(complete, store.limits)) await store.write(batch);
}

/** Returns the mean number of words of all chunks that were ever published, or 0 if there are none. */
function getMeanLength(languages: Languages): number {
  const all = [...languages.values()];
  const chunks = all.reduce((sum, counts) => sum + counts.chunks, 0);
  return chunks === 0 ? 0 : all.reduce((sum, { words }) => sum + words, 0) / chunks;
}

const getMean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the chunks of which the versions were replaced by those that were published now. */
function listReplaced(versions: CompleteVersion[], published: Set<string>): Removal[] {
  return versions
    .filter(({ documentId, hasEarlier }) => hasEarlier && published.has(documentId))
    .map(({ documentId, version }) => ({ documentId, version: version - 1 }));
}

/**
 * Deletes chunks that searches do not show any more. If the store fails or is slow, the deletion is recorded and repeated
 * later, because it makes no difference to searches.
 */
async function removeFromStore(parts: LedgerParts, removals: Removal[]): Promise<void> {
  if (removals.length === 0) return;
  if (await tryToRemove(parts, removals)) await parts.ledger.settle(removals);
  else await parts.ledger.recordLeftovers(removals);
}

/** Deletes chunks in the store. Returns false if the store failed or was too slow. */
export async function tryToRemove(
  { store, deps: { indexId, log, settings } }: LedgerParts,
  removals: Removal[],
): Promise<boolean> {
  try {
    await withTimeout(store.remove(removals), TIMEOUT_SHARE * settings.SILENCE_SECONDS);
    return true;
  } catch (error) {
    log.warn('chunks not removed from the store yet', {
      index: indexId,
      documents: removals.length,
      error: getErrorMessage(error),
    });
    return false;
  }
}

type Counted = Pick<CompleteVersion, 'chunks' | 'bytes' | 'languages'>;
type CountedChunk = { text: string; language: string; length: number };

/**
 * Counts the chunks of a version, with those that were staged by earlier calls, which are read from the store page by
 * page. Returns undefined if some are missing.
 */
async function countChunks(
  store: ChunkStore,
  { document: { documentId, version }, chunks, chunkCount }: NewVersion,
): Promise<Counted | undefined> {
  const counts = { chunks: 0, bytes: 0, languages: new Map<string, LanguageCounts>() };
  if (chunks.length === chunkCount) {
    addToCounts(
      counts,
      chunks.map(({ text, analysed }) => ({ text, ...analysed })),
    );
    return counts;
  }
  for await (const page of readPages(store, { documentId, version, limit: chunkCount + 1 })) {
    addToCounts(
      counts,
      page.map(({ length, chunk: { text, language = 'und' } }) => ({ text, language, length })),
    );
  }
  return counts.chunks === chunkCount ? counts : undefined;
}

function addToCounts(
  counts: { chunks: number; bytes: number; languages: Map<string, LanguageCounts> },
  chunks: CountedChunk[],
): void {
  const { languages } = counts;
  for (const { text, language, length } of chunks) {
    counts.chunks += 1;
    counts.bytes += encoder.encode(text).length;
    const known = languages.get(language) ?? { chunks: 0, words: 0 };
    languages.set(language, { chunks: known.chunks + 1, words: known.words + length });
  }
}

/** Changes title and metadata of the visible version. The words of its chunks are analysed again with the new title. */
export async function describeDocument(
  parts: LedgerParts,
  { documentId, title, metadata }: Description,
  analyse: AnalyseStored,
): Promise<void> {
  const { store, ledger } = parts;
  const version = (await ledger.find([documentId])).get(documentId)?.version ?? null;
  if (version === null) return;
  const meanLength = getMeanLength(await ledger.languages()) || 1;
  for (let from = 0; ; from += CHANGED_AT_ONCE) {
    const records = await store.list({ documentId, version, from, limit: CHANGED_AT_ONCE });
    const changes = records.map(({ chunk, ...record }) => ({
      ...record,
      chunk: { ...chunk, title, metadata },
      analysed: analyse(chunk, record.keywords),
      meanLength,
    }));
    if (changes.length > 0) await store.update(changes);
    if (records.length < CHANGED_AT_ONCE) break;
  }
  // Some stores write whole records, which undoes a deletion that came in the meantime.
  const after = (await ledger.find([documentId])).get(documentId);
  if (after?.version !== version) await removeFromStore(parts, [{ documentId, version }]);
}
