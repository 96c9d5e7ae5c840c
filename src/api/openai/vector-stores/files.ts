import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { pathId, prefixedId } from '#src/api/operation/schemas.ts';
import { getFileChunks } from '#src/services/pipelines/documents/document-chunks.ts';
import { removePipelineFile, setPipelineFileMetadata } from '#src/services/pipelines/pipeline-files.ts';
import {
  addStoreFiles,
  getStoreFile,
  listStoreFiles,
} from '#src/services/pipelines/vector-stores/store-files.ts';
import { getStorePipeline } from '#src/services/pipelines/vector-stores/stores.ts';
import { buildListQuery, buildListSchema, presentList, toIdPageQuery } from '../lists.ts';
import {
  attributes,
  chunkingStrategy,
  fileStatus,
  presentStoreFile,
  requireSameChunks,
  STATUSES,
  storeFile,
} from './shapes.ts';
import { storeId } from './stores.ts';

/** Maximum number of chunks per page of a file's content. */
const MAX_CHUNKS = 1_000;

const tag = 'Vector stores';
export const fileListQuery = buildListQuery().extend({
  filter: fileStatus.nullish().describe('Only files with this status.'),
});
const collection = {
  tag,
  access: 'resource',
  path: '/v1/vector_stores/{vector_store_id}/files',
  params: z.object({ vector_store_id: storeId }),
} as const;
const item = {
  tag,
  access: 'resource',
  path: '/v1/vector_stores/{vector_store_id}/files/{file_id}',
  params: z.object({ vector_store_id: storeId, file_id: pathId('dfl') }),
} as const;

/** Converts the query parameters of a list of files to the requested part and its statuses. */
export const toFileListQuery = ({ filter, ...page }: z.output<typeof fileListQuery>) => ({
  ...toIdPageQuery(page),
  statuses: filter ? STATUSES[filter] : undefined,
});

export const vectorStoreFileOperations = [
  operation({
    ...collection,
    method: 'post',
    id: 'addVectorStoreFile',
    needs: 'write',
    isBulk: true,
    summary: 'Add a file to a vector store',
    description: 'The file is parsed and indexed in the background.',
    body: {
      json: z.object({
        file_id: prefixedId('dfl'),
        attributes: attributes.nullish(),
        chunking_strategy: chunkingStrategy.nullish(),
      }),
    },
    response: { status: 200, json: storeFile },
    async handle({ ctx, params, body }) {
      const pipeline = await getStorePipeline(ctx, params.vector_store_id);
      requireSameChunks(pipeline, body.chunking_strategy);
      const added = { file_id: body.file_id, ...(body.attributes && { custom_metadata: body.attributes }) };
      return presentStoreFile((await addStoreFiles(ctx, pipeline.id, [added]))[0]!, pipeline);
    },
  }),
  operation({
    ...collection,
    method: 'get',
    id: 'listVectorStoreFiles',
    needs: 'read',
    summary: 'List the files of a vector store',
    description: 'Returns a page of the files, sorted by the time at which they were added.',
    query: fileListQuery,
    response: { status: 200, json: buildListSchema(storeFile) },
    async handle({ ctx, params, query }) {
      const pipeline = await getStorePipeline(ctx, params.vector_store_id);
      const page = await listStoreFiles(ctx, pipeline.id, toFileListQuery(query));
      return presentList(page, (each) => presentStoreFile(each, pipeline));
    },
  }),
  operation({
    ...item,
    method: 'get',
    id: 'getVectorStoreFile',
    needs: 'read',
    summary: 'Read a file of a vector store',
    description: 'Says whether the file is indexed, and why it failed.',
    response: { status: 200, json: storeFile },
    async handle({ ctx, params }) {
      const pipeline = await getStorePipeline(ctx, params.vector_store_id);
      return presentStoreFile(await getStoreFile(ctx, pipeline.id, params.file_id), pipeline);
    },
  }),
  operation({
    ...item,
    method: 'post',
    id: 'updateVectorStoreFile',
    needs: 'write',
    summary: 'Change the attributes of a file',
    description: 'Replaces the attributes of the file in this vector store. Null removes them.',
    body: { json: z.object({ attributes: attributes.nullable() }) },
    response: { status: 200, json: storeFile },
    async handle({ ctx, params, body }) {
      const pipeline = await getStorePipeline(ctx, params.vector_store_id);
      const changed = await setPipelineFileMetadata(ctx, pipeline.id, params.file_id, body.attributes);
      return presentStoreFile(changed, pipeline);
    },
  }),
  operation({
    ...item,
    method: 'delete',
    id: 'removeVectorStoreFile',
    needs: 'write',
    summary: 'Remove a file from a vector store',
    description: 'A search no longer finds the file. The file itself stays in the project.',
    response: {
      status: 200,
      json: z.object({
        id: z.string(),
        object: z.literal('vector_store.file.deleted'),
        deleted: z.literal(true),
      }),
    },
    async handle({ ctx, params }) {
      const { file } = await getStoreFile(ctx, params.vector_store_id, params.file_id);
      await removePipelineFile(ctx, params.vector_store_id, file.id);
      return { id: file.id, object: 'vector_store.file.deleted' as const, deleted: true as const };
    },
  }),
  operation({
    ...item,
    method: 'get',
    path: '/v1/vector_stores/{vector_store_id}/files/{file_id}/content',
    id: 'getVectorStoreFileContent',
    needs: 'read',
    summary: 'Read the text of a file of a vector store',
    description: 'Returns the chunks of the file in their order. Neighbouring chunks may overlap.',
    query: z.object({
      page: z
        .string()
        .regex(/^\d{1,9}$/, 'must be the `next_page` of a page')
        .nullish(),
    }),
    response: {
      status: 200,
      json: z.object({
        object: z.literal('vector_store.file_content.page'),
        data: z.array(z.object({ type: z.literal('text'), text: z.string() })),
        has_more: z.boolean(),
        next_page: z.string().nullable(),
      }),
    },
    async handle({ ctx, params, query }) {
      const { file, member } = await getStoreFile(ctx, params.vector_store_id, params.file_id);
      const skip = Number(query.page ?? 0);
      const asked = { skip, limit: MAX_CHUNKS + 1 };
      const { chunks } = await getFileChunks(ctx, member.pipelineId, file.id, asked, false);
      const has_more = chunks.length > MAX_CHUNKS;
      return {
        object: 'vector_store.file_content.page' as const,
        data: chunks.slice(0, MAX_CHUNKS).map(({ chunk }) => ({ type: 'text' as const, text: chunk.text })),
        has_more,
        next_page: has_more ? String(skip + MAX_CHUNKS) : null,
      };
    },
  }),
];
