import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
import type { Retriever } from '#src/db/schema/index.ts';
import {
  type CompositeNode,
  type CompositeRetrieval,
  compositeQuery,
} from '#src/retrieval/composite-retrieval.ts';
import {
  createRetriever,
  deleteRetriever,
  deriveInlineId,
  getRetriever,
  listRetrievers,
  newRetriever,
  parsePipelines,
  retrieverChanges,
  retrieverPipeline,
  retrieverPipelines,
  updateRetriever,
  upsertRetriever,
} from '#src/retrieval/retrievers.ts';
import { retrieveCompositeTraced } from '#src/retrieval/traced-retrieval.ts';
import { pageMetadata } from '#src/search/pages.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import { figureNode, pictureNode, scoreParts } from './pipelines/pipelines.schemas.ts';
import { presentFigure, presentScreenshot } from './pipelines/retrieval.ts';

export const retrieverBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    project_id: z.uuid(),
    pipelines: z.array(retrieverPipeline.extend({ pipeline_id: z.uuid() })),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'Retriever' });

export function presentRetriever(row: Retriever): z.input<typeof retrieverBody> {
  return {
    id: row.id,
    name: row.name,
    project_id: row.projectId,
    // Existing clients require the fields `name` and `description` of each pipeline, which may be null.
    pipelines: parsePipelines(row).map((pipeline) => ({ name: null, description: null, ...pipeline })),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const compositeNode = z.object({
  node: z.object({
    id: z.string(),
    text: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    start_char_idx: z.number().int().nullish(),
    end_char_idx: z.number().int().nullish(),
    pipeline_id: z.uuid(),
    retriever_id: z
      .uuid()
      .describe(
        'Id of the retriever. Without a saved retriever, an id of the combination of pipelines that no operation accepts.',
      ),
    retriever_pipeline_name: z.string(),
  }),
  score: z.number().nullish(),
  score_parts: scoreParts.nullish(),
  class_name: z.string().nullish(),
});

const compositeResult = z
  .object({
    nodes: z.array(compositeNode),
    image_nodes: z.array(pictureNode).nullish(),
    page_figure_nodes: z.array(figureNode).nullish(),
    metadata: z
      .object({ pipelines: z.record(z.string(), z.record(z.string(), z.string())) })
      .catchall(z.unknown())
      .nullish()
      .describe(
        'Models and methods that were used. `pipelines` contains the notes of each pipeline, with `unavailable` if it cannot be searched.',
      ),
    retrieval_latency: z
      .record(z.string(), z.number())
      .nullish()
      .describe(
        'Seconds per stage. In a deployment to the edge, the clock advances only while the service waits, so pure computation shows as 0.',
      ),
  })
  .meta({ id: 'CompositeRetrievalResult' });

function presentResult(retrieval: CompositeRetrieval, retrieverId: string) {
  const { nodes, pictures, notes, pipelineNotes, latency, warnings } = retrieval;
  return {
    nodes: nodes.map((node) => presentNode(node, retrieverId)),
    image_nodes: pictures.screenshots.map(presentScreenshot),
    page_figure_nodes: pictures.figures.map(presentFigure),
    metadata: { ...notes, pipelines: pipelineNotes },
    retrieval_latency: latency,
    ...(warnings.length > 0 && { warnings }),
  };
}

function presentNode({ chunk, score, parts, target, name }: CompositeNode, retrieverId: string) {
  return {
    node: {
      id: chunk.id,
      text: chunk.text,
      metadata: { ...chunk.metadata, ...pageMetadata(chunk) },
      start_char_idx: chunk.startChar,
      end_char_idx: chunk.endChar,
      pipeline_id: target.pipeline.id,
      retriever_id: retrieverId,
      retriever_pipeline_name: name,
    },
    score,
    ...(parts && { score_parts: parts }),
    class_name: 'CompositeRetrievedTextNodeWithScore',
  };
}

const tag = 'Retrievers';
const params = idParams('retriever_id');

const retrievers = resource({
  tag,
  collection: { name: 'retrievers', path: '/api/v1/retrievers', access: 'project' },
  item: { name: 'a retriever', path: '/api/v1/retrievers/{retriever_id}', params, access: 'resource' },
  body: retrieverBody,
  present: presentRetriever,
});

export const retrieverOperations = [
  retrievers.list({
    id: 'listRetrievers',
    needs: 'retrieve',
    description: 'Returns the retrievers of the project. A retriever searches several pipelines at once.',
    query: z.object({ name: z.string().nullish().describe('Exact match.') }),
    run: ({ ctx, query }) => listRetrievers(ctx, query.name),
  }),
  retrievers.create({
    id: 'createRetriever',
    needs: 'write',
    description: 'Creates a retriever, which searches several pipelines and ranks their results together.',
    body: newRetriever,
    run: ({ ctx, body }) => createRetriever(ctx, body),
  }),
  retrievers.upsert({
    id: 'upsertRetriever',
    needs: 'write',
    description: 'Updates the retriever of this name in the project, or creates it if there is none.',
    body: newRetriever,
    run: ({ ctx, body }) => upsertRetriever(ctx, body),
  }),
  operation({
    method: 'post',
    path: '/api/v1/retrievers/retrieve',
    id: 'retrieveDirectly',
    needs: 'retrieve',
    tag,
    summary: 'Retrieve from several pipelines',
    description: 'Searches the pipelines of the request as a retriever would, without saving a retriever.',
    access: 'project',
    body: { json: compositeQuery.extend({ pipelines: retrieverPipelines.nullish() }) },
    response: { status: 200, json: compositeResult },
    errors: [502],
    async handle({ ctx, body, requestId }) {
      const pipelines = body.pipelines ?? [];
      const retrieval = await retrieveCompositeTraced(ctx, pipelines, body, requestId);
      countActivity(ctx, ctx.projectId, 'retrievals');
      return presentResult(retrieval, await deriveInlineId(ctx, pipelines));
    },
  }),
  retrievers.get({
    id: 'getRetriever',
    needs: 'retrieve',
    description: 'Returns the name of the retriever and the pipelines that it searches.',
    run: ({ ctx, params }) => getRetriever(ctx, params.retriever_id),
  }),
  retrievers.update({
    id: 'updateRetriever',
    needs: 'write',
    description: 'Changes the name or the list of pipelines. Omitted members stay unchanged.',
    body: retrieverChanges,
    run: ({ ctx, params, body }) => updateRetriever(ctx, params.retriever_id, body),
  }),
  retrievers.delete({
    id: 'deleteRetriever',
    needs: 'write',
    description: 'Deletes the retriever and its chat sessions. Its pipelines stay.',
    run: ({ ctx, params }) => deleteRetriever(ctx, params.retriever_id),
  }),
  operation({
    method: 'post',
    path: '/api/v1/retrievers/{retriever_id}/retrieve',
    id: 'retrieveWithRetriever',
    needs: 'retrieve',
    tag,
    summary: 'Retrieve with a retriever',
    description: 'Searches all pipelines of the retriever and ranks their results together.',
    access: 'resource',
    params,
    body: { json: compositeQuery },
    response: { status: 200, json: compositeResult },
    errors: [502],
    async handle({ ctx, params, body, requestId }) {
      const retriever = await getRetriever(ctx, params.retriever_id);
      const retrieval = await retrieveCompositeTraced(ctx, retriever, body, requestId);
      countActivity(ctx, retriever.projectId, 'retrievals');
      return presentResult(retrieval, retriever.id);
    },
  }),
];
