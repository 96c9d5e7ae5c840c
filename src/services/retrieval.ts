import type { Context } from '../context.ts';
import { Conflict } from '../errors.ts';
import { languageModel } from '../models/language-models.ts';
import { type Retrieval, retrieve } from '../retrieval/index.ts';
import {
  mergeParameters,
  type PresetRetrievalParameters,
  presetRetrievalParameters,
  type RetrievalParameters,
} from '../retrieval/parameters.ts';
import { openReranker } from '../retrieval/rerank/model-reranker.ts';
import type { StoredChunk } from '../search/types.ts';
import { catalogOf } from './catalog.ts';
import { liveIndex, openSink, type Pipeline } from './indexes.ts';
import { excludedKeysOf } from './pipelines/documents.ts';
import { queryEmbedder } from './pipelines/embedding.ts';

const EMPTY: Retrieval = {
  chunks: [],
  latency: { total: 0 },
  notes: { sink: 'none: the pipeline was never synced' },
};

/** `asked` holds only the members that the request really sent; the others come from the preset. */
export async function retrieveFrom(
  ctx: Context,
  pipeline: Pipeline,
  query: string,
  asked: PresetRetrievalParameters,
): Promise<{ retrieval: Retrieval; parameters: RetrievalParameters }> {
  if (pipeline.status === 'DELETING') throw new Conflict(`Pipeline ${pipeline.id} is being deleted.`);
  const preset = presetRetrievalParameters.parse(pipeline.presetRetrievalParameters);
  const parameters = mergeParameters(asked, preset);
  const index = await liveIndex(ctx, pipeline.id);
  if (!index) return { retrieval: EMPTY, parameters };
  const retrieval = await retrieve(query, parameters, {
    sink: openSink(ctx, index),
    embedder: await queryEmbedder(ctx, pipeline, index),
    reranker: openReranker(ctx.settings, ctx.ai),
    model: languageModel(ctx.settings),
    hiddenKeys: pipeline.metadataConfig?.excluded_llm_metadata_keys ?? [],
    ownHiddenKeys: (chunks) => ownHiddenKeys(ctx, pipeline, chunks),
    catalog: () => catalogOf(ctx, pipeline, index),
  });
  return { retrieval, parameters };
}

/** What documents themselves keep from models. */
export async function ownHiddenKeys(
  ctx: Context,
  pipeline: Pipeline,
  chunks: StoredChunk[],
): Promise<Map<string, readonly string[]>> {
  const keys = await excludedKeysOf(ctx, pipeline.id, chunks);
  return new Map([...keys].map(([documentId, { llm }]) => [documentId, llm]));
}
