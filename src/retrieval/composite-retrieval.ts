import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { largest } from '#src/lib/extremes.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { LanguageUse } from '#src/ports/language-model.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import {
  presetRetrievalParameters,
  queryText,
  type RetrievalParameters,
} from '#src/retrieval-contract/parameters.ts';
import { compareHits } from '#src/search/fusion.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { getReranker, RERANKER_NAMES } from '#src/services/models/reranking.ts';
import type { Retrieval, RetrievalOptions } from './index.ts';
import { interleave } from './interleave.ts';
import { chooseFiles } from './modes/choose-files.ts';
import { findPictures, type Pictures } from './pictures.ts';
import { createReport, type RankedChunk, type Report } from './ports.ts';
import { rerankChunks } from './rerank-chunks.ts';
import { getExcludedKeys, getTarget, readHiddenKeys, retrieveFrom, type Target } from './retrieval.ts';
import type { RetrieverPipeline } from './retrievers.ts';

const MAX_ROUTED_PIPELINES = 2;
const DEFAULT_TOP_N = 6;
const MISSING_NOTES = { missing: 'The pipeline does not exist or is being deleted.' };

export const compositeQuery = z.object({
  query: queryText,
  mode: z
    .enum(['full', 'routing'])
    .nullish()
    .describe(
      '`full` queries every pipeline. `routing` queries the pipelines whose name and description match the query.',
    ),
  rerank_top_n: z.number().int().min(1).max(100).nullish().meta({ deprecated: true }),
  rerank_config: z
    .object({
      type: z
        .enum([...RERANKER_NAMES, 'score', 'disabled'])
        .nullish()
        .describe(
          '`score` and `disabled` sort by score, and the other values name a reranker. If the reranker is not configured, the default reranker is used and the response contains a warning.',
        ),
      top_n: z.number().int().min(1).max(100).nullish(),
    })
    .nullish(),
  retrieval_parameters: presetRetrievalParameters
    .nullish()
    .describe(
      'Retrieval parameters for every pipeline. They take precedence over those of the retriever and of the pipeline. `enable_reranking` and `rerank_top_n` apply to the merged results, unless `rerank_config` says otherwise.',
    ),
  class_name: z.string().nullish(),
});
export type CompositeQuery = z.infer<typeof compositeQuery>;

export interface CompositeNode extends RankedChunk {
  target: Target;
  name: string;
}

export interface CompositeRetrieval {
  nodes: CompositeNode[];
  /** Results of all pipelines in the order before reranking. */
  candidates: CompositeNode[];
  pictures: Pick<Pictures, 'screenshots' | 'figures'>;
  /**
   * Remarks about the whole retrieval, for the response. `pipelineNotes` contains the remarks about each
   * pipeline, by pipeline id.
   */
  notes: Record<string, string>;
  pipelineNotes: Record<string, Record<string, string>>;
  /**
   * Duration of each stage in seconds, and of all stages in `total`. If several pipelines run a stage, the
   * slowest one counts.
   */
  latency: Record<string, number>;
  warnings: Warning[];
}

interface Answer extends Pick<Retrieval, 'notes' | 'latency'> {
  target: Target;
  parameters: RetrievalParameters;
  nodes: CompositeNode[];
}

interface FailedPipeline {
  pipelineId: string;
  notes: Record<string, string>;
}

/**
 * Queries several pipelines and merges their results. A pipeline that cannot be queried is reported in a
 * note, and so is a deleted pipeline of a stored retriever. `inline` means that the request itself lists the
 * pipelines. A missing pipeline is then an error.
 */
export async function retrieveComposite(
  ctx: TenantContext,
  members: RetrieverPipeline[],
  request: CompositeQuery,
  inline: boolean,
  options?: RetrievalOptions,
): Promise<CompositeRetrieval> {
  if (inline) await Promise.all(members.map(({ pipeline_id }) => getTarget(ctx, pipeline_id)));
  const report = createReport();
  const { answers, failed, nodes, candidates, warnings } = await report.timed('total', () =>
    queryPipelines(ctx, members, request, report, options),
  );
  const pictures = await collectPictures(ctx, answers, nodes, report);
  const latency: Record<string, number> = {};
  const pipelineNotes: CompositeRetrieval['pipelineNotes'] = {};
  const addNotes = (id: string, notes: Record<string, string>) => {
    let name = id;
    for (let suffix = 2; name in pipelineNotes; suffix += 1) name = `${id}#${suffix}`;
    pipelineNotes[name] = notes;
  };
  for (const { pipelineId, notes } of failed) addNotes(pipelineId, notes);
  for (const answer of answers) {
    addNotes(answer.target.pipeline.id, answer.notes);
    for (const [stage, seconds] of Object.entries(answer.latency)) {
      latency[stage] = Math.max(latency[stage] ?? 0, seconds);
    }
  }
  Object.assign(latency, report.latency);
  return { nodes, candidates, pictures, notes: report.notes, pipelineNotes, latency, warnings };
}

async function queryPipelines(
  ctx: TenantContext,
  members: RetrieverPipeline[],
  request: CompositeQuery,
  report: Report,
  options?: RetrievalOptions,
) {
  const { query, mode, retrieval_parameters: overrides } = request;
  const queriedMembers =
    mode === 'routing'
      ? await report.timed('route', () => routePipelines(ctx, members, query, report))
      : members;
  const isReranked = overrides?.enable_reranking ?? true;
  const type = request.rerank_config?.type ?? (isReranked ? 'system_default' : 'disabled');
  const chosen = type === 'disabled' || type === 'score' ? undefined : await getReranker(ctx, type);
  const warnings = chosen?.fallbackReason
    ? [{ field: 'rerank_config.type', reason: chosen.fallbackReason }]
    : [];
  const results = await Promise.all(
    queriedMembers.map((member) => {
      const preset = { ...member.preset_retrieval_parameters, ...overrides };
      return queryPipeline(ctx, { ...member, preset_retrieval_parameters: preset }, query, options);
    }),
  );
  const answers = results.filter((answer) => 'target' in answer);
  const failed = results.filter((answer): answer is FailedPipeline => !('target' in answer));
  const topN =
    request.rerank_config?.top_n ?? request.rerank_top_n ?? overrides?.rerank_top_n ?? DEFAULT_TOP_N;
  // Scores of different pipelines are not comparable. Results are therefore interleaved, so that the reranker
  // receives some from each pipeline.
  const all = interleave(answers.map((answer) => answer.nodes));
  const nodes = chosen
    ? await report.timed('rerank', () => rerankNodes(ctx, query, all, topN, chosen.reranker, report))
    : all.toSorted(compareRanked).slice(0, topN);
  return { answers, failed, nodes, candidates: all, warnings };
}

/** Compares two results by score. Equal scores are ordered as in every other search. */
function compareRanked(a: RankedChunk, b: RankedChunk): number {
  return compareHits({ ...a.chunk, score: a.score }, { ...b.chunk, score: b.score });
}

async function queryPipeline(
  ctx: TenantContext,
  member: RetrieverPipeline,
  query: string,
  options?: RetrievalOptions,
): Promise<Answer | FailedPipeline> {
  const target = await getTarget(ctx, member.pipeline_id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  const pipelineId = member.pipeline_id;
  if (!target || target.pipeline.status === 'DELETING') return { pipelineId, notes: MISSING_NOTES };
  // Turns off reranking in each pipeline. The merged results are reranked once instead, because scores of
  // separate rerankings are not comparable.
  const preset = { ...member.preset_retrieval_parameters, enable_reranking: false };
  const found = await retrieveFrom(ctx, target, query, preset, options).catch((error: unknown) => {
    if (error instanceof Conflict) return error;
    throw error;
  });
  if (found instanceof Conflict) return { pipelineId, notes: { unavailable: found.message } };
  const { retrieval, parameters } = found;
  const name = member.name ?? target.pipeline.name;
  const { chunks, notes, latency } = retrieval;
  // BM25 scores have no upper limit. Scores are divided by the best one, so that pipelines can be compared.
  const best = largest(
    chunks.map(({ score }) => score),
    1,
  );
  const nodes = chunks.map((ranked) => ({ ...ranked, score: ranked.score / best, target, name }));
  return { target, parameters, nodes, latency, notes: { ...notes } };
}

async function rerankNodes(
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
    async readDocumentHiddenKeys() {
      const hidden = new Map<string, readonly string[]>();
      for (const target of new Set(nodes.map((node) => node.target))) {
        const chunks = nodes.filter((node) => node.target === target).map(({ chunk }) => chunk);
        const own = await readHiddenKeys(ctx, target, chunks);
        const common = getExcludedKeys(target).llm;
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

/**
 * Selects the pipelines whose names and descriptions match the query. Returns all pipelines if none matches.
 */
async function routePipelines(
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
    language: (use: LanguageUse) => getLanguageModel(ctx, ctx.projectId, use),
    hiddenKeys: [],
  };
  const choice = { filters: undefined, most: MAX_ROUTED_PIPELINES, kind: 'collections' as const };
  const chosen = await chooseFiles(query, choice, ports, report);
  return chosen.length > 0 ? chosen.map(({ documentId }) => members[Number(documentId)]!) : members;
}

async function collectPictures(
  ctx: TenantContext,
  answers: Answer[],
  nodes: CompositeNode[],
  { latency }: Report,
) {
  const pictures: CompositeRetrieval['pictures'] = { screenshots: [], figures: [] };
  for (const { target, parameters, notes } of answers) {
    const chunks = nodes.filter((node) => node.target === target);
    const found = await findPictures(
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
