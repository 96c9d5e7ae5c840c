import { dropStoredFigures } from '#src/lib/text/picture-links.ts';
import type { Filters, WordCounts } from '#src/ports/index-types.ts';
import { toFilters } from '#src/retrieval-contract/filter-schema.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { inferSearchFilters } from './infer-filters.ts';
import { retrieveChunks } from './modes/chunks.ts';
import { retrieveFilesByContent, retrieveFilesByMetadata } from './modes/files.ts';
import { readOpenings } from './modes/openings.ts';
import { chooseMode, type Mode } from './modes/route.ts';
import { createReport, findModel, type RankedChunk, type RetrievalPorts } from './ports.ts';

export type { RankedChunk, RetrievalPorts } from './ports.ts';

export interface Retrieval {
  chunks: RankedChunk[];
  /** Chunks in the order before reranking. Absent if nothing was reranked. */
  candidates?: RankedChunk[] | undefined;
  inferredFilters?: Filters | undefined;
  latency: Record<string, number>;
  /** Absent if the index does not count words. */
  wordCounts?: WordCounts | undefined;
  /** Remarks for the response: which models or built-in methods were used, and what could not be done. */
  notes: Record<string, string>;
}

const MODES = {
  chunks: retrieveChunks,
  files_via_content: retrieveFilesByContent,
  files_via_metadata: retrieveFilesByMetadata,
} satisfies Record<Mode, unknown>;

export interface RetrievalOptions {
  /**
   * Whether the query asks for whole documents, as in "What is this document about?". Passages that contain its words
   * say nothing then, so the beginnings of documents are returned.
   */
  wantsOpenings?: boolean;
}

/**
 * Retrieves the results of a query, best first. The retrieval mode determines whether chunks or whole files
 * are returned.
 */
export async function retrieve(
  query: string,
  parameters: RetrievalParameters,
  ports: RetrievalPorts,
  { wantsOpenings = false }: RetrievalOptions = {},
): Promise<Retrieval> {
  const report = createReport();
  const runRetrieval = async () => {
    const requestedMode = parameters.retrieval_mode;
    const schema = parameters.search_filters_inference_schema;
    const [mode, inferred] = await Promise.all([
      requestedMode === 'auto_routed'
        ? report.timed('route', async () =>
            chooseMode(query, await findModel('routing', ports, report), report),
          )
        : requestedMode,
      schema
        ? report.timed('infer_filters', async () =>
            inferSearchFilters(query, schema, await findModel('filters', ports, report), report),
          )
        : undefined,
    ]);
    report.notes.retrieval_mode = mode;
    const filters = combineFilters(parameters.search_filters, inferred);
    const found = await MODES[mode](query, parameters, filters, ports, report);
    const isAnswered = !wantsOpenings || (mode !== 'chunks' && found.length > 0);
    const chunks = isAnswered ? found : await readOpenings(found, parameters, filters, ports, report);
    return { chunks: chunks.map(removeFigureLinks), inferredFilters: inferred };
  };
  const answer = await report.timed('total', runRetrieval);
  const { latency, notes, wordCounts, candidates } = report;
  return { ...answer, latency, notes, wordCounts, candidates };
}

/**
 * Removes links to figures from the text of a chunk. Only indexes from earlier releases contain such links.
 */
function removeFigureLinks(ranked: RankedChunk): RankedChunk {
  const text = dropStoredFigures(ranked.chunk.text);
  return text === ranked.chunk.text ? ranked : { ...ranked, chunk: { ...ranked.chunk, text } };
}

/** Combines the filters of the request with filters inferred from the query. Results must match both. */
function combineFilters(
  callerFilters: RetrievalParameters['search_filters'],
  inferred: Filters | undefined,
): Filters | undefined {
  const own = callerFilters && callerFilters.filters.length > 0 ? toFilters(callerFilters) : undefined;
  if (own && inferred) return { condition: 'and', filters: [own, inferred] };
  return own ?? inferred;
}
