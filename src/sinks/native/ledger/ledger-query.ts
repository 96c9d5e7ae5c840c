import type { ChunkMetadata, SearchHit } from '#src/ports/index-types.ts';
import { matches } from '#src/search/filters.ts';
import { mergeArm } from '#src/search/fusion.ts';
import { pageMetadata } from '#src/search/pages.ts';
import type { TermWeights } from '#src/search/term-weights.ts';
import { buildPreFilter, type PreFilter } from '#src/sinks/external/pre-filter.ts';
import type { QueryText, SearchRequest, SearchResult } from '#src/sinks/native/search-store.ts';
import { BodyTooLarge } from '#src/upstream/watched-body.ts';
import type { ChunkSearch, ChunkSearchResult, ChunkStore, FoundRecord } from './chunk-store.ts';
import type { LedgerParts } from './ledger-write.ts';
import type { LedgerEntry, VersionLedger } from './version-ledger.ts';

/** Additional results that are requested, because some may not be visible. `share` is relative to the wanted number. */
const SPARE = { share: 0.2, least: 5 };
/** Factor by which the number of requested results grows if too few of them are visible and match the filters. */
const GROWTH = 4;
const ATTEMPTS = 6;

type Arm = 'dense' | 'sparse';

/**
 * Searches the store with both arms in one request. Leaves out chunks of versions that are not visible, disabled chunks,
 * and chunks that do not match the filters exactly. Asks for more if too few results are left, and asks again if a result was
 * replaced during the search, so that results never mix two versions of a document.
 */
export async function searchVisible(
  { store, ledger }: LedgerParts,
  request: SearchRequest,
): Promise<SearchResult> {
  const wanted = { dense: request.dense?.topK ?? 0, sparse: request.sparse?.topK ?? 0 };
  const weights = request.sparse && (await weigh(request.sparse, ledger));
  const preFilter = toPreFilter(store, request);
  const accepts = createFilter(request);
  const replaced = new Set<string>();
  const topK = { dense: withSpare(wanted.dense, store), sparse: withSpare(wanted.sparse, store) };
  let visible: Record<Arm, FoundRecord[]> = { dense: [], sparse: [] };
  for (let attempt = 1; ; attempt += 1) {
    const search: ChunkSearch = {
      ...(request.dense && { dense: { vector: request.dense.vector, topK: topK.dense } }),
      ...(weights && weights.finding.size > 0 && { sparse: { weights, topK: topK.sparse } }),
      ...(preFilter && { preFilter }),
    };
    if (!search.dense && !search.sparse) return { dense: [], sparse: [], chunks: [] };
    const found = await searchStore(store, search, attempt > 1);
    // Fewer results than wanted are better than none.
    if (!found) return toResult(visible, wanted);
    const documentIds = [...found.dense, ...found.sparse].map(({ chunk }) => chunk.documentId);
    const entries = await ledger.find([...new Set(documentIds)]);
    visible = {
      dense: found.dense.filter((record) => isVisible(record, entries) && accepts(record)),
      sparse: found.sparse.filter((record) => isVisible(record, entries) && accepts(record)),
    };
    const isSettled = !recordReplaced(replaced, [...found.dense, ...found.sparse], entries);
    const short = (['dense', 'sparse'] as Arm[]).filter(
      (arm) =>
        visible[arm].length < wanted[arm] &&
        found[arm].length >= topK[arm] &&
        topK[arm] < store.limits.largestPage,
    );
    if ((short.length === 0 && isSettled) || attempt === ATTEMPTS) return toResult(visible, wanted);
    for (const arm of short) topK[arm] = Math.min(store.limits.largestPage, topK[arm] * GROWTH);
  }
}

/** Asks the store. Returns undefined if the answer to a repeated search is too large, because it asks for more. */
async function searchStore(
  store: ChunkStore,
  search: ChunkSearch,
  isRepeated: boolean,
): Promise<ChunkSearchResult | undefined> {
  try {
    return await store.search(search);
  } catch (error) {
    if (isRepeated && error instanceof Error && error.cause instanceof BodyTooLarge) return undefined;
    throw error;
  }
}

async function weigh(text: QueryText, ledger: VersionLedger): Promise<TermWeights> {
  const languages = await ledger.languages();
  return text.weighByLanguage(new Map([...languages].map(([language, { chunks }]) => [language, chunks])));
}

const withSpare = (wanted: number, { limits }: ChunkStore): number =>
  Math.min(limits.largestPage, Math.ceil(wanted * (1 + SPARE.share)) + SPARE.least);

function isVisible({ version, chunk }: FoundRecord, entries: Map<string, LedgerEntry>): boolean {
  return entries.get(chunk.documentId)?.version === version;
}

/** Records results whose version was replaced or removed. Returns true if one of them is new. */
function recordReplaced(
  known: Set<string>,
  found: FoundRecord[],
  entries: Map<string, LedgerEntry>,
): boolean {
  const before = known.size;
  for (const { version, chunk } of found) {
    const entry = entries.get(chunk.documentId);
    const isOlder = entry !== undefined && ((entry.version ?? -1) > version || entry.removed >= version);
    if (isOlder) known.add(`${version} ${chunk.documentId}`);
  }
  return known.size > before;
}

/**
 * Returns the conditions that the store can evaluate. It does not know the metadata that was set for single chunks, so it
 * receives no conditions on the keys of that metadata.
 */
function toPreFilter(
  store: ChunkStore,
  { filters, chunkMetadata = [] }: Pick<SearchRequest, 'filters' | 'chunkMetadata'>,
): PreFilter | undefined {
  if (!filters) return undefined;
  const own = new Set(chunkMetadata.flatMap(({ chunks }) => Object.values(chunks).flatMap(Object.keys)));
  return buildPreFilter(filters, (key, how) => !own.has(key) && store.isFilterable(key, how));
}

/** Returns whether a result is enabled and matches all filters. */
function createFilter({
  filters,
  disabled = [],
  chunkMetadata = [],
}: Pick<SearchRequest, 'filters' | 'disabled' | 'chunkMetadata'>): (record: FoundRecord) => boolean {
  const hidden = new Map(disabled.map(({ documentId, hashes }) => [documentId, new Set(hashes)]));
  const own = new Map<string, ChunkMetadata['chunks']>(
    chunkMetadata.map(({ documentId, chunks }) => [documentId, chunks]),
  );
  return ({ chunk }) => {
    if (hidden.get(chunk.documentId)?.has(chunk.hash)) return false;
    if (!filters) return true;
    const metadata = {
      ...chunk.metadata,
      ...own.get(chunk.documentId)?.[chunk.hash],
      ...pageMetadata(chunk),
    };
    return matches(metadata, filters);
  };
}

function toResult(found: Record<Arm, FoundRecord[]>, wanted: Record<Arm, number>): SearchResult {
  const all = new Map([...found.dense, ...found.sparse].map(({ chunk }) => [chunk.id, chunk]));
  const toHits = (arm: Arm): SearchHit[] => {
    const hits = found[arm].map(({ score, chunk: { id, documentId, position } }) => {
      return { id, documentId, position, score };
    });
    return mergeArm([hits], wanted[arm]);
  };
  const [dense, sparse] = [toHits('dense'), toHits('sparse')];
  const ids = new Set([...dense, ...sparse].map(({ id }) => id));
  return { dense, sparse, chunks: [...ids].map((id) => all.get(id)!) };
}
