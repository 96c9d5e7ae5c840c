import type { Filters, StoredChunk } from '#src/ports/index-types.ts';
import type { CatalogEntry, RankedChunk, Report, RetrievalPorts } from '#src/retrieval/ports.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { matches } from '#src/search/filters.ts';
import { pageMetadata } from '#src/search/pages.ts';

/** Maximum number of documents whose beginnings are returned. */
const MAX_DOCUMENTS = 3;
/** Number of chunks at the beginning of a document in which enabled chunks that match the filters are looked for. */
const INSPECTED_CHUNKS = 200;

/** Number of catalog entries that are read without filters. More than needed, because a document may be deleted. */
const MAX_UNFILTERED_ENTRIES = 50;
/** Number of catalog entries in which documents that match the filters are looked for. */
const MAX_FILTERED_ENTRIES = 2_000;
const ENTRIES_PER_QUERY = 1_000;

type OpeningPorts = Pick<RetrievalPorts, 'sink' | 'isDisabled' | 'addChunkMetadata'>;

/**
 * Returns the first chunks of some documents that match the filters, at most `rerank_top_n` together. Documents whose
 * words or names match the query come first, then others in the order of the catalog. With filters, documents are
 * looked for among the results of the search and the first 2,000 of the catalog.
 */
export async function readOpenings(
  found: RankedChunk[],
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: OpeningPorts & Pick<RetrievalPorts, 'firstEntries'>,
  report: Report,
): Promise<RankedChunk[]> {
  return report.timed('openings', async () => {
    const most = Math.min(MAX_DOCUMENTS, parameters.rerank_top_n);
    const { documents, isIncomplete } = await chooseDocuments(found, most, filters, ports);
    const perDocument = Math.floor(parameters.rerank_top_n / Math.max(1, documents.length));
    const openings = await Promise.all(
      documents.map((documentId) => readOpening(documentId, perDocument, filters, ports)),
    );
    report.notes.openings = `the question is about whole documents, so the beginning of ${documents.length} was read`;
    if (isIncomplete) {
      report.notes.openings += `; the filters were tried on the first ${MAX_FILTERED_ENTRIES} documents only`;
    }
    const chunks = openings.flat();
    return chunks.map((chunk, rank) => ({ chunk, score: 1 - rank / chunks.length }));
  });
}

/** Chooses at most `most` documents. `isIncomplete` is true if further documents may match the filters. */
async function chooseDocuments(
  found: RankedChunk[],
  most: number,
  filters: Filters | undefined,
  { firstEntries }: Pick<RetrievalPorts, 'firstEntries'>,
): Promise<{ documents: string[]; isIncomplete: boolean }> {
  // Every chunk has some vector similarity, so only words show that a document is meant.
  const named = found.filter(({ parts }) => (parts?.sparse ?? 0) > 0);
  const chosen = new Set(named.map(({ chunk }) => chunk.documentId));
  // The results of the search match all filters. The catalog has no pages, so filters of pages match nothing in it.
  if (filters) for (const { chunk } of found) chosen.add(chunk.documentId);
  if (chosen.size >= (filters ? 1 : most)) {
    return { documents: [...chosen].slice(0, most), isIncomplete: false };
  }
  let count = 0;
  for await (const { documentId, metadata } of iterateFirstEntries(filters, firstEntries)) {
    count += 1;
    if (!filters || matches(metadata, filters)) chosen.add(documentId);
    if (chosen.size >= most) return { documents: [...chosen], isIncomplete: false };
  }
  return { documents: [...chosen], isIncomplete: filters !== undefined && count >= MAX_FILTERED_ENTRIES };
}

/** Yields entries of the catalog, at most `MAX_FILTERED_ENTRIES` of them. Without filters, a few are enough. */
async function* iterateFirstEntries(
  filters: Filters | undefined,
  firstEntries: RetrievalPorts['firstEntries'],
): AsyncIterable<CatalogEntry> {
  const limit = filters ? ENTRIES_PER_QUERY : MAX_UNFILTERED_ENTRIES;
  const most = filters ? MAX_FILTERED_ENTRIES : MAX_UNFILTERED_ENTRIES;
  let after: string | undefined;
  for (let count = 0; count < most; count += limit) {
    const entries = await firstEntries({ after, limit });
    yield* entries;
    after = entries.at(-1)?.documentId;
    if (after === undefined) return;
  }
}

/** Returns the first chunks of a document that match the filters and are not disabled. */
async function readOpening(
  documentId: string,
  most: number,
  filters: Filters | undefined,
  { sink, isDisabled = () => false, addChunkMetadata = (chunk) => chunk }: OpeningPorts,
): Promise<StoredChunk[]> {
  const limit = filters ? INSPECTED_CHUNKS : most;
  let found: StoredChunk[] = [];
  for (let from = 0; from < INSPECTED_CHUNKS && found.length < most; from += limit) {
    const chunks = await sink.listChunks(documentId, { from, limit });
    const isWanted = (chunk: StoredChunk) =>
      !isDisabled(chunk) && (!filters || matches({ ...chunk.metadata, ...pageMetadata(chunk) }, filters));
    found = found.concat(chunks.map(addChunkMetadata).filter(isWanted));
    if (chunks.length < limit) break;
  }
  return found.slice(0, most);
}
