import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { pathId, prefixedId } from '#src/api/operation/schemas.ts';
import {
  cancelFileBatch,
  createFileBatch,
  getFileBatch,
  listBatchFiles,
} from '#src/services/pipelines/vector-stores/file-batches.ts';
import { getStorePipeline } from '#src/services/pipelines/vector-stores/stores.ts';
import { buildListSchema, presentList } from '../lists.ts';
import { fileListQuery, toFileListQuery } from './files.ts';
import {
  attributes,
  chunkingStrategy,
  fileBatch,
  presentBatch,
  presentStoreFile,
  requireSameChunks,
  storeFile,
} from './shapes.ts';
import { MAX_FILES, storeId } from './stores.ts';

const fileId = prefixedId('dfl');
const settings = { attributes: attributes.nullish(), chunking_strategy: chunkingStrategy.nullish() };

const batchRequest = z
  .object({
    file_ids: z.array(fileId).min(1).max(MAX_FILES).nullish(),
    files: z
      .array(z.object({ file_id: fileId, ...settings }))
      .min(1)
      .max(MAX_FILES)
      .nullish()
      .describe('Files with attributes of their own, instead of `file_ids`.'),
    ...settings,
  })
  .refine((body) => Boolean(body.file_ids) !== Boolean(body.files), {
    error: 'send either file_ids or files',
    path: ['file_ids'],
  });

const item = {
  tag: 'Vector stores',
  access: 'resource',
  path: '/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}',
  params: z.object({ vector_store_id: storeId, batch_id: pathId('batch') }),
} as const;

/** Returns the files of a request with the attributes that each of them gets. */
function listAddedFiles({ file_ids, files, attributes: shared }: z.output<typeof batchRequest>) {
  const all = files ?? file_ids!.map((file_id) => ({ file_id, attributes: undefined }));
  return all.map((each) => {
    const own = each.attributes ?? (files ? undefined : shared);
    return { file_id: each.file_id, ...(own && { custom_metadata: own }) };
  });
}

export const vectorStoreBatchOperations = [
  operation({
    method: 'post',
    path: '/v1/vector_stores/{vector_store_id}/file_batches',
    id: 'createVectorStoreFileBatch',
    needs: 'write',
    tag: 'Vector stores',
    access: 'resource',
    summary: 'Add many files to a vector store',
    description: `Adds up to ${MAX_FILES} files, all or none of them. They are indexed in the background.`,
    params: z.object({ vector_store_id: storeId }),
    body: { json: batchRequest },
    response: { status: 200, json: fileBatch },
    async handle({ ctx, params, body }) {
      const pipeline = await getStorePipeline(ctx, params.vector_store_id);
      requireSameChunks(pipeline, body.chunking_strategy);
      for (const [index, each] of (body.files ?? []).entries()) {
        requireSameChunks(pipeline, each.chunking_strategy, ['files', index, 'chunking_strategy']);
      }
      return presentBatch(await createFileBatch(ctx, pipeline.id, listAddedFiles(body)));
    },
  }),
  operation({
    ...item,
    method: 'get',
    id: 'getVectorStoreFileBatch',
    needs: 'read',
    summary: 'Read a file batch',
    description: 'Returns the number of the files of the batch by status. Batches are kept for 30 days.',
    response: { status: 200, json: fileBatch },
    handle: async ({ ctx, params }) =>
      presentBatch(await getFileBatch(ctx, params.vector_store_id, params.batch_id)),
  }),
  operation({
    ...item,
    method: 'post',
    path: '/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel',
    id: 'cancelVectorStoreFileBatch',
    needs: 'write',
    summary: 'Cancel a file batch',
    description: 'Removes the files of the batch that are not indexed yet from the vector store.',
    response: { status: 200, json: fileBatch },
    handle: async ({ ctx, params }) =>
      presentBatch(await cancelFileBatch(ctx, params.vector_store_id, params.batch_id)),
  }),
  operation({
    ...item,
    method: 'get',
    path: '/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/files',
    id: 'listVectorStoreFileBatchFiles',
    needs: 'read',
    summary: 'List the files of a file batch',
    description: 'Returns a page of the files of the batch that the vector store contains.',
    query: fileListQuery,
    response: { status: 200, json: buildListSchema(storeFile) },
    async handle({ ctx, params, query }) {
      const pipeline = await getStorePipeline(ctx, params.vector_store_id);
      const page = await listBatchFiles(ctx, pipeline.id, params.batch_id, toFileListQuery(query));
      return presentList(page, (each) => presentStoreFile(each, pipeline));
    },
  }),
];
