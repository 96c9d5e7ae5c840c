import { asksForWholeDocument } from '#src/builtin/answering/whole-document.ts';
import type { ChatJob, Found, FoundChunk, PrintedBox } from '#src/chat/job.ts';
import type { Context } from '#src/context/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import { retrieveComposite } from '#src/retrieval/composite-retrieval.ts';
import { findTarget } from '#src/retrieval/find-target.ts';
import type { RankedChunk, RetrievalOptions } from '#src/retrieval/index.ts';
import { findExcludedKeys, getExcludedKeys, retrieveFrom, type Target } from '#src/retrieval/retrieval.ts';
import { getRetriever, parsePipelines } from '#src/retrieval/retrievers.ts';
import { toScoredNode } from '#src/retrieval/traced-retrieval.ts';
import type { PresetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { flattenBoxes, locateChunks } from '#src/services/pipelines/documents/chunk-locations.ts';
import { listCandidates } from '#src/services/traces/candidates.ts';
import type { ChatCorpus, JoinedPipelines } from '#src/work/chat-owner.ts';

type Search = Required<Pick<ChatJob, 'retrieve' | 'findBoxes'>>;

interface SearchSettings {
  parameters: PresetRetrievalParameters;
  options: RetrievalOptions;
  /** Receives the pipelines whose chunks are found, by pipeline id. */
  pipelines: Map<string, Pipeline>;
}

/** Returns functions that search the documents of a chat and find where the chunks are printed. */
export function createSearch(
  ctx: Context,
  corpus: ChatCorpus,
  parameters: PresetRetrievalParameters,
): Search {
  /** Pipelines whose chunks were found, by pipeline id. */
  const pipelines = new Map<string, Pipeline>();
  const retrieve = (question: string) => {
    const options = { wantsOpenings: asksForWholeDocument(question) };
    return 'pipelineId' in corpus
      ? searchPipeline(ctx, corpus.pipelineId, question, { parameters, options, pipelines })
      : searchJoined(ctx, corpus, question, { parameters, options, pipelines });
  };
  return { retrieve, findBoxes: (chunks) => findPrintedBoxes(ctx, chunks, pipelines) };
}

async function searchPipeline(
  ctx: Context,
  pipelineId: string,
  question: string,
  { parameters, options, pipelines }: SearchSettings,
): Promise<Found> {
  const target = await findTarget(ctx, pipelineId);
  if (!target) throw new NotFound('Pipeline', pipelineId);
  const { retrieval } = await retrieveFrom(ctx, target, question, parameters, options);
  const { candidates, ...found } = retrieval;
  const toScored = (each: RankedChunk) => ({ ...each, pipelineId: (target.source ?? target.pipeline).id });
  return {
    ...found,
    chunks: await toFoundChunks(ctx, target, retrieval.chunks, [], pipelines),
    considered: listCandidates(candidates?.map(toScored), retrieval.chunks.map(toScored)),
  };
}

/**
 * Searches several pipelines and ranks the results together. Parameters of the request override each pipeline's
 * stored retrieval parameters.
 */
async function searchJoined(
  ctx: Context,
  corpus: JoinedPipelines,
  question: string,
  { parameters, options, pipelines }: SearchSettings,
): Promise<Found> {
  const caller = { ...ctx, ...corpus.asker };
  const members =
    'retrieverId' in corpus
      ? parsePipelines(await getRetriever(caller, corpus.retrieverId))
      : corpus.pipelineIds.map((pipeline_id) => ({ pipeline_id }));
  const query = {
    query: question,
    retrieval_parameters: { ...omitUnset(parameters), ...NO_PICTURES },
    // Openings are in order, and their words say nothing about the question.
    ...(options.wantsOpenings && { rerank_config: { type: 'disabled' as const } }),
  };
  const { nodes, candidates, notes, pipelineNotes, latency } = await retrieveComposite(
    caller,
    members,
    query,
    false,
    options,
  );
  const chunks = new Map<RankedChunk, FoundChunk>();
  for (const target of new Set(nodes.map((each) => each.target))) {
    const own = nodes.filter((each) => each.target === target);
    const hidden = getExcludedKeys(target).llm;
    for (const [index, found] of (await toFoundChunks(ctx, target, own, hidden, pipelines)).entries()) {
      chunks.set(own[index]!, { ...found, pipelineName: own[index]!.name });
    }
  }
  return {
    chunks: nodes.map((each) => chunks.get(each)!),
    considered: listCandidates(candidates.map(toScoredNode), nodes.map(toScoredNode)),
    latency,
    notes: { ...notes, pipelines: JSON.stringify(pipelineNotes) },
  };
}

/** Removes parameters without a value, so that the pipeline's stored retrieval parameters apply. */
const omitUnset = (parameters: PresetRetrievalParameters): PresetRetrievalParameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));

const NO_PICTURES = {
  retrieve_image_nodes: false,
  retrieve_page_screenshot_nodes: false,
  retrieve_page_figure_nodes: false,
};

/** Adds the pipeline and file of each chunk, and removes metadata that must not be sent to a model. */
async function toFoundChunks(
  ctx: Context,
  target: Target,
  found: readonly RankedChunk[],
  hidden: readonly string[],
  known: Map<string, Pipeline>,
): Promise<FoundChunk[]> {
  const own = await findExcludedKeys(
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
      chunk: { ...chunk, metadata: omitKeys(metadata, keys) },
      score,
      pipelineId: pipeline.id,
      fileId: metadata.file_id === documentId ? documentId : null,
    };
  });
}

function omitKeys(metadata: Metadata, keys: readonly string[]): Metadata {
  if (keys.length === 0) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.includes(key)));
}

async function findPrintedBoxes(
  ctx: Context,
  found: readonly FoundChunk[],
  known: ReadonlyMap<string, Pipeline>,
): Promise<PrintedBox[][]> {
  const places = new Map<FoundChunk, PrintedBox[]>();
  for (const [id, pipeline] of known) {
    const own = found.filter(({ pipelineId }) => pipelineId === id);
    const pages = await locateChunks(
      ctx,
      pipeline,
      own.map(({ chunk }) => chunk),
    );
    for (const [index, each] of own.entries()) places.set(each, flattenBoxes(pages[index]!));
  }
  return found.map((each) => places.get(each) ?? []);
}
