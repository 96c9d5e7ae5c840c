import type { TenantContext } from '#src/context/context.ts';
import type { Retriever } from '#src/db/schema/index.ts';
import type { Filters } from '#src/ports/index-types.ts';
import { toFilters } from '#src/retrieval-contract/filter-schema.ts';
import type { PresetRetrievalParameters, RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { listCandidates } from '#src/services/traces/candidates.ts';
import { findTraceSettings } from '#src/services/traces/settings.ts';
import { traceRetrieval } from '#src/services/traces/trace-retrieval.ts';
import { type CompositeNode, type CompositeQuery, retrieveComposite } from './composite-retrieval.ts';
import type { RankedChunk, Retrieval } from './index.ts';
import { retrieveFrom, type Target } from './retrieval.ts';
import { parsePipelines, type RetrieverPipeline } from './retrievers.ts';

type Parameters = PresetRetrievalParameters | RetrievalParameters;

/** Retrieves from one pipeline, and records a trace if the project's settings say so. The notes name the trace. */
export async function retrieveTraced(
  ctx: TenantContext,
  target: Target,
  query: string,
  overrides: PresetRetrievalParameters,
  requestId: string,
): ReturnType<typeof retrieveFrom> {
  const { pipeline, source } = target;
  const toScored = (each: RankedChunk) => ({ ...each, pipelineId: (source ?? pipeline).id });
  const { result, traceId } = await traceRetrieval(
    ctx,
    {
      projectId: pipeline.projectId,
      pipelineId: pipeline.id,
      retrieverId: null,
      question: query,
      requestId,
      settings: target.tracing,
      ...splitParameters(overrides),
    },
    () => retrieveFrom(ctx, target, query, overrides),
    ({ retrieval, parameters }) => ({
      candidates: listCandidates(retrieval.candidates?.map(toScored), retrieval.chunks.map(toScored)),
      notes: retrieval.notes,
      latency: retrieval.latency,
      inferredFilters: retrieval.inferredFilters,
      ...splitParameters(parameters),
    }),
  );
  return traceId ? { ...result, retrieval: addTraceId(result.retrieval, traceId) } : result;
}

const addTraceId = (retrieval: Retrieval, traceId: string): Retrieval => ({
  ...retrieval,
  notes: { ...retrieval.notes, trace_id: traceId },
});

/** Retrieves from several pipelines, and records a trace if the settings of the retriever's project say so. */
export async function retrieveCompositeTraced(
  ctx: TenantContext,
  retriever: Retriever | RetrieverPipeline[],
  request: CompositeQuery,
  requestId: string,
): ReturnType<typeof retrieveComposite> {
  const isInline = Array.isArray(retriever);
  const projectId = isInline ? ctx.projectId : retriever.projectId;
  const members = isInline ? retriever : parsePipelines(retriever);
  const { query, retrieval_parameters: overrides } = request;
  const { result, traceId } = await traceRetrieval(
    ctx,
    {
      projectId,
      pipelineId: null,
      retrieverId: isInline ? null : retriever.id,
      question: query,
      requestId,
      settings: findTraceSettings(ctx, projectId),
      ...splitParameters(overrides ?? {}),
    },
    () => retrieveComposite(ctx, members, request, isInline),
    ({ nodes, candidates, notes, pipelineNotes, latency }) => ({
      candidates: listCandidates(candidates.map(toScoredNode), nodes.map(toScoredNode)),
      notes: { ...notes, pipelines: JSON.stringify(pipelineNotes) },
      latency,
    }),
  );
  return traceId ? { ...result, notes: { ...result.notes, trace_id: traceId } } : result;
}

export const toScoredNode = (node: CompositeNode) => ({
  ...node,
  pipelineId: (node.target.source ?? node.target.pipeline).id,
});

/** Separates the filters of the request from the parameters that a trace shows. Schemas are left out. */
export function splitParameters(given: Parameters): {
  filters?: Filters;
  parameters: Record<string, unknown>;
} {
  const {
    search_filters: filters,
    search_filters_inference_schema: _,
    class_name: __,
    ...parameters
  } = given as PresetRetrievalParameters;
  return { ...(filters && filters.filters.length > 0 && { filters: toFilters(filters) }), parameters };
}
