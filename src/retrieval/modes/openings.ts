import type { Filters, StoredChunk } from '#src/ports/index-types.ts';
import type { RankedChunk, Report, RetrievalPorts } from '#src/retrieval/ports.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { matches } from '#src/search/filters.ts';
import { pageMetadata } from '#src/search/pages.ts';

/** Maximum number of documents whose beginnings are returned. */
const MAX_DOCUMENTS = 3;
/** Number of chunks at the beginning of a document in which enabled chunks that match the filters are looked for. */
const INSPECTED_CHUNKS = 200;

type OpeningPorts = Pick<RetrievalPorts, 'sink' | 'isDisabled' | 'addChunkMetadata'>;

/**
 * Returns the first chunks of some documents that match the filters, at most `rerank_top_n` together. Documents whose
 * words or names match the query come first, then others in the order of the catalog.
 */
export async function readOpenings(
  found: RankedChunk[],
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: OpeningPorts & Pick<RetrievalPorts, 'catalog'>,
  report: Report,
): Promise<RankedChunk[]> {
  return report.timed('openings', async () => {
    const most = Math.min(MAX_DOCUMENTS, parameters.rerank_top_n);
    const documents = await chooseDocuments(found, most, filters, ports);
    const perDocument = Math.floor(parameters.rerank_top_n / Math.max(1, documents.length));
    const openings = await Promise.all(
      documents.map((documentId) => readOpening(documentId, perDocument, filters, ports)),
    );
    report.notes.openings = `the question is about whole documents, so the beginning of ${documents.length} was read`;
    const chunks = openings.flat();
    return chunks.map((chunk, rank) => ({ chunk, score: 1 - rank / chunks.length }));
  });
}

async function chooseDocuments(
  found: RankedChunk[],
  most: number,
  filters: Filters | undefined,
  { catalog }: Pick<RetrievalPorts, 'catalog'>,
): Promise<string[]> {
  // Every chunk has some vector similarity, so only words show that a document is meant.
  const named = found.filter(({ parts }) => (parts?.sparse ?? 0) > 0);
  const chosen = new Set(named.map(({ chunk }) => chunk.documentId));
  // The search has already applied the filters, also those of pages, which the catalog does not know. With filters,
  // the whole catalog might have to be read.
  if (filters) for (const { chunk } of found) chosen.add(chunk.documentId);
  if (chosen.size >= (filters ? 1 : most)) return [...chosen].slice(0, most);
  for await (const entries of catalog()) {
    for (const { documentId, metadata } of entries) {
      if (!filters || matches(metadata, filters)) chosen.add(documentId);
      if (chosen.size >= most) return [...chosen];
    }
  }
  return [...chosen];
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
