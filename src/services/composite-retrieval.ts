import { z } from 'zod';
import type { TenantContext } from '../context.ts';
import { NotFound } from '../errors.ts';
import { languageModel } from '../models/language-models.ts';
import { chooseFiles } from '../retrieval/modes/choose-files.ts';
import type { RetrievalParameters } from '../retrieval/parameters.ts';
import { newReport, type RankedChunk } from '../retrieval/ports.ts';
import { openReranker } from '../retrieval/rerank/model-reranker.ts';
import { rerankChunks } from '../retrieval/rerank/rerank-chunks.ts';
import type { Pipeline } from './indexes.ts';
import { getPipeline } from './pipelines/pipelines.ts';
import { ownHiddenKeys, retrieveFrom } from './retrieval.ts';
import { type Pictures, picturesOf } from './retrieval-pictures.ts';
import type { RetrieverPipeline } from './retrievers.ts';

/** Pipelines that routing asks. */
const MOST_ROUTED = 2;
const DEFAULT_TOP_N = 6;

export const compositeQuery = z.object({
  query: z.string().min(1),
  mode: z.enum(['full', 'routing']).nullish().describe('full asks every pipeline, routing the fitting ones.'),
  rerank_top_n: z.number().int().min(1).max(100).nullish().meta({ deprecated: true }),
  rerank_config: z
    .object({
      type: z
        .enum(['system_default', 'llm', 'cohere', 'bedrock', 'score', 'disabled'])
        .nullish()
        .describe('score and disabled order by score; the others rerank with the configured model.'),
      top_n: z.number().int().min(1).max(100).nullish(),
    })
    .nullish(),
  class_name: z.string().nullish(),
});
export type CompositeQuery = z.infer<typeof compositeQuery>;

export interface CompositeNode extends RankedChunk {
  pipeline: Pipeline;
  /** What the retriever calls the pipeline. */
  name: string | null;
}

export interface CompositeRetrieval {
  nodes: CompositeNode[];
  pictures: Pick<Pictures, 'screenshots' | 'figures'>;
}

interface Answer {
  pipeline: Pipeline;
  parameters: RetrievalParameters;
  nodes: CompositeNode[];
}

/** Asks several pipelines as one. A pipeline that has gone since contributes nothing. */
export async function retrieveComposite(
  ctx: TenantContext,
  members: RetrieverPipeline[],
  request: CompositeQuery,
): Promise<CompositeRetrieval> {
  const asked = request.mode === 'routing' ? await routed(ctx, members, request.query) : members;
  const type = request.rerank_config?.type ?? 'system_default';
  const reranks = type !== 'disabled' && type !== 'score';
  const answers = (await Promise.all(asked.map((member) => ask(ctx, member, request.query)))).flat();
  const topN = request.rerank_config?.top_n ?? request.rerank_top_n ?? DEFAULT_TOP_N;
  const all = answers
    .flatMap(({ nodes }) => nodes)
    .sort((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));
  const nodes = reranks ? await reranked(ctx, request.query, all, topN) : all.slice(0, topN);
  return { nodes, pictures: await picturesOfAll(ctx, answers, nodes) };
}

async function ask(ctx: TenantContext, member: RetrieverPipeline, query: string): Promise<Answer[]> {
  const pipeline = await getPipeline(ctx, member.pipeline_id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  if (!pipeline || pipeline.status === 'DELETING') return [];
  // One rerank over all pipelines: scores of separate ones would not compare.
  const preset = { ...member.preset_retrieval_parameters, enable_reranking: false };
  const { retrieval, parameters } = await retrieveFrom(ctx, pipeline, query, preset);
  const name = member.name ?? pipeline.name;
  const nodes = retrieval.chunks.map((ranked) => ({ ...ranked, pipeline, name }));
  return [{ pipeline, parameters, nodes }];
}

async function reranked(
  ctx: TenantContext,
  query: string,
  nodes: CompositeNode[],
  topN: number,
): Promise<CompositeNode[]> {
  const byId = new Map(nodes.map((node) => [node.chunk.id, node]));
  const ports = {
    reranker: openReranker(ctx.settings, ctx.ai),
    hiddenKeys: [],
    async ownHiddenKeys() {
      const hidden = new Map<string, readonly string[]>();
      for (const pipeline of new Set(nodes.map((node) => node.pipeline))) {
        const chunks = nodes.filter((node) => node.pipeline === pipeline).map(({ chunk }) => chunk);
        const own = await ownHiddenKeys(ctx, pipeline, chunks);
        const common = pipeline.metadataConfig?.excluded_llm_metadata_keys ?? [];
        for (const { documentId } of chunks) {
          const known = hidden.get(documentId) ?? [];
          hidden.set(documentId, [...known, ...common, ...(own.get(documentId) ?? [])]);
        }
      }
      return hidden;
    },
  };
  const results = await rerankChunks(query, [...byId.values()], topN, ports, newReport());
  return results.map(({ chunk, score }) => ({ ...byId.get(chunk.id)!, score }));
}

/** The members whose names and descriptions answer to the query; all of them when none does. */
async function routed(
  ctx: TenantContext,
  members: RetrieverPipeline[],
  query: string,
): Promise<RetrieverPipeline[]> {
  const entries = members.map(({ name, description }, index) => ({
    documentId: String(index),
    title: name ?? '',
    metadata: { description: description ?? '' },
  }));
  const catalog = async function* () {
    yield entries;
  };
  const ports = { catalog, model: languageModel(ctx.settings), hiddenKeys: [] };
  const choice = { filters: undefined, most: MOST_ROUTED, kind: 'collections' as const };
  const chosen = await chooseFiles(query, choice, ports, newReport());
  return chosen.length > 0 ? chosen.map(({ documentId }) => members[Number(documentId)]!) : members;
}

async function picturesOfAll(ctx: TenantContext, answers: Answer[], nodes: CompositeNode[]) {
  const pictures: CompositeRetrieval['pictures'] = { screenshots: [], figures: [] };
  for (const { pipeline, parameters } of answers) {
    const chunks = nodes.filter((node) => node.pipeline.id === pipeline.id);
    const found = await picturesOf(ctx, pipeline, { chunks, latency: {}, notes: {} }, parameters);
    pictures.screenshots.push(...found.screenshots);
    pictures.figures.push(...found.figures);
  }
  return pictures;
}
