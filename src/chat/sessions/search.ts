import type { ChatJob, Found, FoundChunk, PrintedBox } from '#src/chat/job.ts';
import type { Context } from '#src/context/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import { retrieveComposite } from '#src/retrieval/composite-retrieval.ts';
import { findTarget } from '#src/retrieval/find-target.ts';
import type { RankedChunk } from '#src/retrieval/index.ts';
import { excludedKeys, retrieveFrom, type Target } from '#src/retrieval/retrieval.ts';
import { getRetriever, pipelinesOf } from '#src/retrieval/retrievers.ts';
import type { PresetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { flatBoxes, printedPlaces } from '#src/services/pipelines/documents/printed-places.ts';
import type { AskedCorpus, Asker } from '#src/work/chat-owner.ts';

type Search = Required<Pick<ChatJob, 'retrieve' | 'placesOf'>>;

/** How an answer searches what is asked, and where it finds what is printed there. */
export function searchIn(ctx: Context, corpus: AskedCorpus, parameters: PresetRetrievalParameters): Search {
  /** Those that something was found in, by their ids. */
  const known = new Map<string, Pipeline>();
  const retrieve = (question: string) =>
    'pipelineId' in corpus
      ? inPipeline(ctx, corpus.pipelineId, question, parameters, known)
      : inRetriever(ctx, corpus, question, parameters, known);
  return { retrieve, placesOf: (chunks) => placesOf(ctx, chunks, known) };
}

async function inPipeline(
  ctx: Context,
  pipelineId: string,
  question: string,
  parameters: PresetRetrievalParameters,
  known: Map<string, Pipeline>,
): Promise<Found> {
  const target = await findTarget(ctx, pipelineId);
  if (!target) throw new NotFound('Pipeline', pipelineId);
  const { retrieval } = await retrieveFrom(ctx, target, question, parameters);
  return { ...retrieval, chunks: await shown(ctx, target, retrieval.chunks, [], known) };
}

/** All its pipelines are asked with what the caller wants over each one's preset, and ranked together. */
async function inRetriever(
  ctx: Context,
  { retrieverId, asker }: { retrieverId: string; asker: Asker },
  question: string,
  parameters: PresetRetrievalParameters,
  known: Map<string, Pipeline>,
): Promise<Found> {
  const caller = { ...ctx, ...asker };
  const { enable_reranking, rerank_top_n, ...asked } = given(parameters);
  const members = pipelinesOf(await getRetriever(caller, retrieverId)).map((member) => ({
    ...member,
    preset_retrieval_parameters: { ...member.preset_retrieval_parameters, ...asked, ...NO_PICTURES },
  }));
  const rerank_config = {
    ...(enable_reranking === false && { type: 'disabled' as const }),
    ...(rerank_top_n && { top_n: rerank_top_n }),
  };
  const query = { query: question, rerank_config };
  const { nodes, notes, pipelineNotes, latency } = await retrieveComposite(caller, members, query, false);
  const chunks = new Map<RankedChunk, FoundChunk>();
  for (const target of new Set(nodes.map((each) => each.target))) {
    const own = nodes.filter((each) => each.target === target);
    const hidden = target.pipeline.metadataConfig?.excluded_llm_metadata_keys ?? [];
    for (const [index, found] of (await shown(ctx, target, own, hidden, known)).entries()) {
      chunks.set(own[index]!, { ...found, pipelineName: own[index]!.name });
    }
  }
  return {
    chunks: nodes.map((each) => chunks.get(each)!),
    latency,
    notes: { ...notes, pipelines: JSON.stringify(pipelineNotes) },
  };
}

/** Without those that say nothing, which are the preset's to say. */
const given = (parameters: PresetRetrievalParameters): PresetRetrievalParameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));

const NO_PICTURES = {
  retrieve_image_nodes: false,
  retrieve_page_screenshot_nodes: false,
  retrieve_page_figure_nodes: false,
};

/** What a model may see of it, and where to find it again. */
async function shown(
  ctx: Context,
  target: Target,
  found: readonly RankedChunk[],
  hidden: readonly string[],
  known: Map<string, Pipeline>,
): Promise<FoundChunk[]> {
  const own = await excludedKeys(
    ctx,
    target,
    found.map(({ chunk }) => chunk),
  );
  const pipeline = target.source ?? target.pipeline;
  known.set(pipeline.id, pipeline);
  return found.map(({ chunk, score }) => {
    const { documentId, metadata } = chunk;
    const keys = [...hidden, ...(own.get(documentId)?.llm ?? [])];
    return {
      chunk: { ...chunk, metadata: without(metadata, keys) },
      score,
      pipelineId: pipeline.id,
      fileId: metadata.file_id === documentId ? documentId : null,
    };
  });
}

function without(metadata: Metadata, keys: readonly string[]): Metadata {
  if (keys.length === 0) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.includes(key)));
}

async function placesOf(
  ctx: Context,
  found: readonly FoundChunk[],
  known: ReadonlyMap<string, Pipeline>,
): Promise<PrintedBox[][]> {
  const places = new Map<FoundChunk, PrintedBox[]>();
  for (const [id, pipeline] of known) {
    const own = found.filter(({ pipelineId }) => pipelineId === id);
    const pages = await printedPlaces(
      ctx,
      pipeline,
      own.map(({ chunk }) => chunk),
    );
    for (const [index, each] of own.entries()) places.set(each, flatBoxes(pages[index]!));
  }
  return found.map((each) => places.get(each) ?? []);
}
