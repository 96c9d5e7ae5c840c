import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { largest } from '#src/lib/extremes.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { LanguageUse } from '#src/ports/language-model.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import { queryText, type RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { compareHits } from '#src/search/fusion.ts';
import { languageFor } from '#src/services/models/language.ts';
import { RERANKED_BY, rerankerFor } from '#src/services/models/reranking.ts';
import type { Retrieval } from './index.ts';
import { interleave } from './interleave.ts';
import { chooseFiles } from './modes/choose-files.ts';
import { type Pictures, picturesOf } from './pictures.ts';
import { newReport, type RankedChunk, type Report } from './ports.ts';
import { rerankChunks } from './rerank-chunks.ts';
import { getTarget, ownHiddenKeys, retrieveFrom, type Target } from './retrieval.ts';
import type { RetrieverPipeline } from './retrievers.ts';

/** Maximum number of pipelines that routing selects. */
const MOST_ROUTED = 2;
const DEFAULT_TOP_N = 6;
const GONE = { missing: 'no such pipeline, or one that is being deleted' };

export const compositeQuery = z.object({
  query: queryText,
  mode: z.enum(['full', 'routing']).nullish().describe('full asks every pipeline, routing the fitting ones.'),
  rerank_top_n: z.number().int().min(1).max(100).nullish().meta({ deprecated: true }),
  rerank_config: z
    .object({
      type: z
        .enum([...RERANKED_BY, 'score', 'disabled'])
        .nullish()
        .describe(
          'score and disabled order by score; the others rerank. Where the one that is named is not configured, the default does it and the answer warns.',
        ),
      top_n: z.number().int().min(1).max(100).nullish(),
    })
    .nullish(),
  class_name: z.string().nullish(),
});
export type CompositeQuery = z.infer<typeof compositeQuery>;

export interface CompositeNode extends RankedChunk {
  target: Target;
  /** Name of the pipeline in the retriever. */
  name: string;
}

export interface CompositeRetrieval {
  nodes: CompositeNode[];
  pictures: Pick<Pictures, 'screenshots' | 'figures'>;
  /** Notes that concern the whole retrieval, and notes of each pipeline by its id. */
  notes: Record<string, string>;
  pipelineNotes: Record<string, Record<string, string>>;
  /** Seconds per stage, and in `total`. A stage of several pipelines counts with the slowest of them. */
  latency: Record<string, number>;
  warnings: Warning[];
}

interface Answer extends Pick<Retrieval, 'notes' | 'latency'> {
  target: Target;
  parameters: RetrievalParameters;
  nodes: CompositeNode[];
}

/** A pipeline that returns nothing, and the reason. */
interface NoAnswer {
  pipelineId: string;
  notes: Record<string, string>;
}

/**
 * Queries several pipelines and merges their results. A pipeline that cannot be queried contributes a note,
 * as does a deleted pipeline of a stored retriever. `inline` pipelines were named in this request, so a
 * missing one is an error.
 */
export async function retrieveComposite(
  ctx: TenantContext,
  members: RetrieverPipeline[],
  request: CompositeQuery,
  inline: boolean,
): Promise<CompositeRetrieval> {
  if (inline) await Promise.all(members.map(({ pipeline_id }) => getTarget(ctx, pipeline_id)));
  const report = newReport();
  const { answers, silent, nodes, warnings } = await report.timed('total', () =>
    askAll(ctx, members, request, report),
  );
  const pictures = await picturesOfAll(ctx, answers, nodes, report);
  const latency: Record<string, number> = {};
  const pipelineNotes: CompositeRetrieval['pipelineNotes'] = {};
  const noted = (id: string, notes: Record<string, string>) => {
    let name = id;
    for (let again = 2; name in pipelineNotes; again += 1) name = `${id}#${again}`;
    pipelineNotes[name] = notes;
  };
  for (const { pipelineId, notes } of silent) noted(pipelineId, notes);
  for (const answer of answers) {
    noted(answer.target.pipeline.id, answer.notes);
    for (const [stage, seconds] of Object.entries(answer.latency)) {
      latency[stage] = Math.max(latency[stage] ?? 0, seconds);
    }
  }
  Object.assign(latency, report.latency);
  return { nodes, pictures, notes: report.notes, pipelineNotes, latency, warnings };
}

async function askAll(
  ctx: TenantContext,
  members: RetrieverPipeline[],
  request: CompositeQuery,
  report: Report,
) {
  const { query, mode } = request;
  const asked =
    mode === 'routing' ? await report.timed('route', () => routed(ctx, members, query, report)) : members;
  const type = request.rerank_config?.type ?? 'system_default';
  const chosen = type === 'disabled' || type === 'score' ? undefined : await rerankerFor(ctx, type);
  const warnings = chosen?.instead ? [{ field: 'rerank_config.type', reason: chosen.instead }] : [];
  const asking = await Promise.all(asked.map((member) => ask(ctx, member, query)));
  const answers = asking.filter((answer) => 'target' in answer);
  const silent = asking.filter((answer): answer is NoAnswer => !('target' in answer));
  const topN = request.rerank_config?.top_n ?? request.rerank_top_n ?? DEFAULT_TOP_N;
  // Scores of different pipelines are not comparable, so the reranker receives some results of each.
  const all = interleave(answers.map((answer) => answer.nodes));
  const nodes = chosen
    ? await report.timed('rerank', () => reranked(ctx, query, all, topN, chosen.reranker, report))
    : all.sort(compareRanked).slice(0, topN);
  return { answers, silent, nodes, warnings };
}

/** Orders nodes by score, and equal scores like every search does. */
function compareRanked(a: RankedChunk, b: RankedChunk): number {
  return compareHits({ ...a.chunk, score: a.score }, { ...b.chunk, score: b.score });
}

async function ask(ctx: TenantContext, member: RetrieverPipeline, query: string): Promise<Answer | NoAnswer> {
  const target = await getTarget(ctx, member.pipeline_id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  const pipelineId = member.pipeline_id;
  if (!target || target.pipeline.status === 'DELETING') return { pipelineId, notes: GONE };
  // The merged results are reranked once, because scores of separate rerankings are not comparable.
  const preset = { ...member.preset_retrieval_parameters, enable_reranking: false };
  const found = await retrieveFrom(ctx, target, query, preset).catch((error: unknown) => {
    if (error instanceof Conflict) return error;
    throw error;
  });
  if (found instanceof Conflict) return { pipelineId, notes: { unavailable: found.message } };
  const { retrieval, parameters } = found;
  const name = member.name ?? target.pipeline.name;
  const { chunks, notes, latency } = retrieval;
  // BM25 scores have no upper limit. As a share of the best score they become comparable with other
  // pipelines.
  const best = largest(
    chunks.map(({ score }) => score),
    1,
  );
  const nodes = chunks.map((ranked) => ({ ...ranked, score: ranked.score / best, target, name }));
  return { target, parameters, nodes, latency, notes: { ...notes } };
}

async function reranked(
  ctx: TenantContext,
  query: string,
  nodes: CompositeNode[],
  topN: number,
  reranker: Reranker,
  report: Report,
): Promise<CompositeNode[]> {
  const ports = {
    reranker,
    hiddenKeys: [],
    async ownHiddenKeys() {
      const hidden = new Map<string, readonly string[]>();
      for (const target of new Set(nodes.map((node) => node.target))) {
        const chunks = nodes.filter((node) => node.target === target).map(({ chunk }) => chunk);
        const own = await ownHiddenKeys(ctx, target, chunks);
        const common = target.pipeline.metadataConfig?.excluded_llm_metadata_keys ?? [];
        for (const { documentId } of chunks) {
          const known = hidden.get(documentId) ?? [];
          hidden.set(documentId, [...known, ...common, ...(own.get(documentId) ?? [])]);
        }
      }
      return hidden;
    },
  };
  return rerankChunks(query, nodes, topN, ports, report);
}

/** Returns the pipelines whose names and descriptions match the query, or all pipelines if none does. */
async function routed(
  ctx: TenantContext,
  members: RetrieverPipeline[],
  query: string,
  report: Report,
): Promise<RetrieverPipeline[]> {
  const entries = members.map(({ name, description }, index) => ({
    documentId: String(index),
    title: name ?? '',
    metadata: { description: description ?? '' },
  }));
  const catalog = async function* () {
    yield entries;
  };
  const ports = {
    catalog,
    language: (use: LanguageUse) => languageFor(ctx, ctx.projectId, use),
    hiddenKeys: [],
  };
  const choice = { filters: undefined, most: MOST_ROUTED, kind: 'collections' as const };
  const chosen = await chooseFiles(query, choice, ports, report);
  return chosen.length > 0 ? chosen.map(({ documentId }) => members[Number(documentId)]!) : members;
}

async function picturesOfAll(
  ctx: TenantContext,
  answers: Answer[],
  nodes: CompositeNode[],
  { latency }: Report,
) {
  const pictures: CompositeRetrieval['pictures'] = { screenshots: [], figures: [] };
  for (const { target, parameters, notes } of answers) {
    const chunks = nodes.filter((node) => node.target === target);
    const found = await picturesOf(
      ctx,
      target.source ?? target.pipeline,
      { chunks, latency: {}, notes: {} },
      parameters,
    );
    for (const screenshot of found.screenshots) pictures.screenshots.push(screenshot);
    for (const figure of found.figures) pictures.figures.push(figure);
    Object.assign(notes, found.notes);
    for (const [kind, seconds] of Object.entries(found.latency))
      latency[kind] = (latency[kind] ?? 0) + seconds;
  }
  return pictures;
}
