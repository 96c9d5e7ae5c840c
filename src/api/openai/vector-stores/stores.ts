import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { pathId, prefixedId } from '#src/api/operation/schemas.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { deletePipeline } from '#src/services/pipelines/delete.ts';
import {
  changeVectorStore,
  createVectorStore,
  getStorePipeline,
  getVectorStore,
  listVectorStores,
} from '#src/services/pipelines/vector-stores/stores.ts';
import { buildListQuery, buildListSchema, presentList, toIdPageQuery } from '../lists.ts';
import { chunkingStrategy, presentStore, storeMetadata, toChunkSizes, vectorStore } from './shapes.ts';

/** Maximum number of files that one request adds. */
export const MAX_FILES = 2_000;

const NO_EXPIRY = 'vector stores do not expire: leave this field out, and delete the vector store';
const expiry = z
  .unknown()
  .refine((value) => value === undefined || value === null, { error: NO_EXPIRY })
  .optional()
  .describe(NO_EXPIRY);

export const storeId = pathId('pipeline').describe('Id of the vector store, which is that of its pipeline.');
const name = z.string().max(2_900);
const tag = 'Vector stores';
const item = { tag, access: 'resource', params: z.object({ vector_store_id: storeId }) } as const;

export const vectorStoreOperations = [
  operation({
    method: 'post',
    path: '/v1/vector_stores',
    id: 'createVectorStore',
    needs: 'write',
    tag,
    access: 'project',
    summary: 'Create a vector store',
    description:
      'Creates a pipeline with the default embedding model and adds the files to it. They are indexed in the ' +
      'background. A name that another pipeline has gets a suffix.',
    body: {
      json: z.object({
        name: name.nullish(),
        file_ids: z.array(prefixedId('dfl')).max(MAX_FILES).nullish(),
        metadata: storeMetadata.nullish(),
        chunking_strategy: chunkingStrategy.nullish(),
        expires_after: expiry,
        description: withoutEffect(z.string().nullish(), 'Vector stores have a name and metadata only.'),
      }),
    },
    response: { status: 200, json: vectorStore },
    async handle({ ctx, body }) {
      const store = await createVectorStore(ctx, {
        name: body.name,
        metadata: body.metadata,
        fileIds: body.file_ids ?? [],
        chunks: toChunkSizes(body.chunking_strategy),
      });
      return presentStore(store);
    },
  }),
  operation({
    method: 'get',
    path: '/v1/vector_stores',
    id: 'listVectorStores',
    needs: 'retrieve',
    tag,
    access: 'project',
    summary: 'List vector stores',
    description: 'Returns a page of the pipelines of the project as vector stores.',
    query: buildListQuery(),
    response: { status: 200, json: buildListSchema(vectorStore) },
    handle: async ({ ctx, query }) =>
      presentList(await listVectorStores(ctx, toIdPageQuery(query)), ({ pipeline, ...more }) => ({
        ...presentStore({ pipeline, ...more }),
        id: pipeline.id,
      })),
  }),
  operation({
    ...item,
    method: 'get',
    path: '/v1/vector_stores/{vector_store_id}',
    id: 'getVectorStore',
    needs: 'retrieve',
    summary: 'Read a vector store',
    description: 'Returns the vector store with the number of its files by status.',
    response: { status: 200, json: vectorStore },
    handle: async ({ ctx, params }) => presentStore(await getVectorStore(ctx, params.vector_store_id)),
  }),
  operation({
    ...item,
    method: 'post',
    path: '/v1/vector_stores/{vector_store_id}',
    id: 'updateVectorStore',
    needs: 'write',
    summary: 'Change a vector store',
    description: 'Changes the name or the metadata. Members that are absent stay as they are.',
    body: {
      json: z.object({
        name: name.min(1).nullish(),
        metadata: storeMetadata.nullish().describe('Null removes the metadata.'),
        expires_after: expiry,
      }),
    },
    response: { status: 200, json: vectorStore },
    handle: async ({ ctx, params, body }) =>
      presentStore(
        await changeVectorStore(ctx, params.vector_store_id, {
          name: body.name ?? undefined,
          metadata: body.metadata,
        }),
      ),
  }),
  operation({
    ...item,
    method: 'delete',
    path: '/v1/vector_stores/{vector_store_id}',
    id: 'deleteVectorStore',
    needs: 'write',
    summary: 'Delete a vector store',
    description: 'Deletes the pipeline with its index. The files stay in the project.',
    response: {
      status: 200,
      json: z.object({ id: z.string(), object: z.literal('vector_store.deleted'), deleted: z.literal(true) }),
    },
    async handle({ ctx, params }) {
      const { id } = await getStorePipeline(ctx, params.vector_store_id);
      await deletePipeline(ctx, id);
      return { id, object: 'vector_store.deleted' as const, deleted: true as const };
    },
  }),
];
