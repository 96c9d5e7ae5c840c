import { dropStoredFigures } from '#src/lib/text/picture-links.ts';
import type { Filters } from '#src/ports/index-types.ts';
import { toFilters } from '#src/retrieval-contract/filter-schema.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { inferSearchFilters } from './infer-filters.ts';
import { rankedChunks } from './modes/chunks.ts';
import { filesViaContent, filesViaMetadata } from './modes/files.ts';
import { type Mode, route } from './modes/route.ts';
import { modelFor, newReport, type RankedChunk, type RetrievalPorts } from './ports.ts';

export type { RankedChunk, RetrievalPorts } from './ports.ts';

export interface Retrieval {
  chunks: RankedChunk[];
  /** Filters that were inferred from the query. */
  inferredFilters?: Filters | undefined;
  /** Seconds per stage, and in `total`. */
  latency: Record<string, number>;
  /** Notes about which implementations answered and what could not be done as requested. */
  notes: Record<string, string>;
}

const MODES = {
  chunks: rankedChunks,
  files_via_content: filesViaContent,
  files_via_metadata: filesViaMetadata,
} satisfies Record<Mode, unknown>;

/** Retrieves the results of a query, best first: chunks, or whole files in the file modes. */
export async function retrieve(
  query: string,
  parameters: RetrievalParameters,
  ports: RetrievalPorts,
): Promise<Retrieval> {
  const report = newReport();
  const answering = async () => {
    const asked = parameters.retrieval_mode;
    const schema = parameters.search_filters_inference_schema;
    const [mode, inferred] = await Promise.all([
      asked === 'auto_routed'
        ? report.timed('route', async () => route(query, await modelFor('routing', ports, report), report))
        : asked,
      schema
        ? report.timed('infer_filters', async () =>
            inferSearchFilters(query, schema, await modelFor('filters', ports, report), report),
          )
        : undefined,
    ]);
    report.notes.retrieval_mode = mode;
    const filters = both(parameters.search_filters, inferred);
    const chunks = await MODES[mode](query, parameters, filters, ports, report);
    return { chunks: chunks.map(withoutFigureLinks), inferredFilters: inferred };
  };
  const answer = await report.timed('total', answering);
  return { ...answer, latency: report.latency, notes: report.notes };
}

/** Removes links to figures from a chunk. Older indexes still contain them. */
function withoutFigureLinks(ranked: RankedChunk): RankedChunk {
  const text = dropStoredFigures(ranked.chunk.text);
  return text === ranked.chunk.text ? ranked : { ...ranked, chunk: { ...ranked.chunk, text } };
}

/** Combines the caller's filters with the inferred ones. Both must hold. */
function both(
  asked: RetrievalParameters['search_filters'],
  inferred: Filters | undefined,
): Filters | undefined {
  const own = asked && asked.filters.length > 0 ? toFilters(asked) : undefined;
  if (own && inferred) return { condition: 'and', filters: [own, inferred] };
  return own ?? inferred;
}
