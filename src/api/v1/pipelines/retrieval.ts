import type { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { findTarget, findTargetByKey } from '#src/retrieval/find-target.ts';
import type { RankedChunk } from '#src/retrieval/index.ts';
import { findPictures, type ScoredFigure, type ScoredScreenshot } from '#src/retrieval/pictures.ts';
import { findExcludedKeys, getExcludedKeys, getTarget } from '#src/retrieval/retrieval.ts';
import { retrieveTraced } from '#src/retrieval/traced-retrieval.ts';
import { retrievalRequest } from '#src/retrieval-contract/parameters.ts';
import { pageMetadata } from '#src/search/pages.ts';
import type { ExcludedKeys } from '#src/services/pipelines/documents/documents.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import { retrievalResult, type textNode } from './pipelines.schemas.ts';
import { pipelineParams } from './pipelines.ts';

type Node = z.input<typeof textNode>;

/** Numbers of the relationships between nodes and of the node types, as clients expect them in a node. */
const SOURCE = '1';
const PREVIOUS = '2';
const NEXT = '3';
const TEXT_NODE_TYPE = '1';
const DOCUMENT_NODE_TYPE = '4';

/**
 * Converts a chunk to a node of the response. `excluded` contains the metadata keys that the pipeline and the
 * chunk's document exclude from embeddings and models.
 */
export function presentNode(chunk: StoredChunk, excluded: ExcludedKeys): Node {
  const neighbour = (id: string) => ({
    node_id: id,
    node_type: TEXT_NODE_TYPE,
    class_name: 'RelatedNodeInfo',
  });
  return {
    id_: chunk.id,
    text: chunk.text,
    mimetype: 'text/plain',
    start_char_idx: chunk.startChar,
    end_char_idx: chunk.endChar,
    embedding: null,
    extra_info: { ...chunk.metadata, ...pageMetadata(chunk) },
    excluded_embed_metadata_keys: excluded.embed,
    excluded_llm_metadata_keys: excluded.llm,
    relationships: {
      [SOURCE]: { node_id: chunk.documentId, node_type: DOCUMENT_NODE_TYPE, class_name: 'RelatedNodeInfo' },
      ...(chunk.previousId && { [PREVIOUS]: neighbour(chunk.previousId) }),
      ...(chunk.nextId && { [NEXT]: neighbour(chunk.nextId) }),
    },
    metadata_template: '{key}: {value}',
    metadata_seperator: '\n',
    text_template: '{metadata_str}\n\n{content}',
    class_name: 'TextNode',
  };
}

export function presentRanked({ chunk, score, parts }: RankedChunk, excluded: ExcludedKeys) {
  const node = presentNode(chunk, excluded);
  return { node, score, ...(parts && { score_parts: parts }), class_name: 'TextNodeWithScore' };
}

export function presentScreenshot({ fileId, pageIndex, size, score }: ScoredScreenshot) {
  return {
    node: { file_id: fileId, page_index: pageIndex, image_size: size, metadata: null },
    score,
    class_name: 'PageScreenshotNodeWithScore',
  };
}

export function presentFigure({ fileId, figure, score }: ScoredFigure) {
  const { width, height, box, mimeType } = figure;
  return {
    node: {
      file_id: fileId,
      page_index: figure.pageIndex,
      figure_name: figure.name,
      figure_size: figure.byteSize,
      confidence: figure.confidence,
      is_likely_noise: figure.isLikelyNoise,
      metadata: { width, height, mime_type: mimeType, ...(box && { bounding_box: box }) },
    },
    score,
    class_name: 'PageFigureNodeWithScore',
  };
}

export const retrievalOperations = [
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/retrieve',
    id: 'retrieve',
    needs: 'retrieve',
    tag: 'Retrieval',
    summary: 'Retrieve chunks',
    description:
      'Returns the chunks that answer the query, best first, each with its score, its metadata and its ' +
      'file. An omitted member falls back to the preset of the pipeline, a null member to the default. ' +
      'Answers 409 if this installation cannot run the data sink or the embedding model of the ' +
      'pipeline, and says which.',
    deprecated: true,
    access: 'project',
    params: pipelineParams,
    body: { json: retrievalRequest },
    response: { status: 200, json: retrievalResult },
    errors: [502],
    preload: ({ ctx, params }) => ({
      readAlone: () => findTarget(ctx, params.pipeline_id),
      readWithKey: (hash) => findTargetByKey(ctx, params.pipeline_id, hash),
    }),
    async handle({ ctx, params, body, preloaded, requestId }) {
      const target = await getTarget(ctx, params.pipeline_id, preloaded);
      const { pipeline } = target;
      const { query, ...asked } = body;
      const { retrieval, parameters } = await retrieveTraced(ctx, target, query, asked, requestId);
      const chunks = retrieval.chunks.map(({ chunk }) => chunk);
      countActivity(ctx, pipeline.projectId, 'retrievals');
      const [own, pictures] = await Promise.all([
        findExcludedKeys(ctx, target, chunks),
        findPictures(ctx, target.source ?? pipeline, retrieval, parameters),
      ]);
      return {
        pipeline_id: pipeline.id,
        retrieval_nodes: retrieval.chunks.map((ranked) =>
          presentRanked(ranked, getExcludedKeys(target, own.get(ranked.chunk.documentId))),
        ),
        image_nodes: pictures.screenshots.map(presentScreenshot),
        page_figure_nodes: pictures.figures.map(presentFigure),
        inferred_search_filters: retrieval.inferredFilters ?? null,
        metadata: { ...retrieval.notes, ...pictures.notes },
        retrieval_latency: { ...retrieval.latency, ...pictures.latency },
        class_name: 'RetrieveResults',
      };
    },
  }),
];
