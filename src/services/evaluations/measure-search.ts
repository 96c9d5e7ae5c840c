import type { Context, TenantContext } from '#src/context/context.ts';
import type { EvaluationResult, EvaluationRun } from '#src/db/schema/index.ts';
import { type MatchableChunk, matchResults } from '#src/evaluation/match-results.ts';
import { computeRankingMetrics } from '#src/evaluation/metrics.ts';
import { retrieveComposite } from '#src/retrieval/composite-retrieval.ts';
import type { RankedChunk } from '#src/retrieval/index.ts';
import { getTarget, retrieveFrom } from '#src/retrieval/retrieval.ts';
import { getRetriever, parsePipelines } from '#src/retrieval/retrievers.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { countActivity } from '#src/services/usage/activity.ts';

/** Returns the context with the access rights of the caller who created the run. */
export const asCaller = (ctx: Context, run: Pick<EvaluationRun, 'caller'>): TenantContext =>
  ({ ...ctx, ...run.caller }) as unknown as TenantContext;

/** Pipeline or retriever that is searched, with the parameters of the search. */
type Searched = Pick<EvaluationRun, 'projectId' | 'pipelineId' | 'retrieverId' | 'parameters'>;

/** Searches for a question. Returns the results with the measures of their ranking. */
export async function measureSearch(
  caller: TenantContext,
  searched: Searched,
  question: Pick<EvaluationResult, 'text' | 'expectations'>,
) {
  const start = performance.now();
  const ranked = await search(caller, searched, question.text);
  const latency_ms = Math.round(performance.now() - start);
  countActivity(caller, searched.projectId, 'retrievals');
  const matched = matchResults(ranked.map(toMatchable), question.expectations);
  return { ranked, matched, metrics: { ...computeRankingMetrics(matched), latency_ms } };
}

export const readParameters = (run: Searched) => presetRetrievalParameters.parse(run.parameters);

async function search(caller: TenantContext, run: Searched, query: string): Promise<RankedChunk[]> {
  if (run.pipelineId) {
    const target = await getTarget(caller, run.pipelineId);
    const { retrieval } = await retrieveFrom(caller, target, query, readParameters(run));
    return retrieval.chunks;
  }
  const members = parsePipelines(await getRetriever(caller, run.retrieverId!));
  const request = { query, retrieval_parameters: readParameters(run) };
  return (await retrieveComposite(caller, members, request, false)).nodes;
}

const toMatchable = ({ chunk }: RankedChunk): MatchableChunk => ({
  documentId: chunk.documentId,
  text: chunk.text,
  startPage: chunk.startPage,
  endPage: chunk.endPage,
});
