import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { metadata } from '#src/api/operation/schemas.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { getExcludedKeys } from '#src/retrieval/retrieval.ts';
import {
  flattenBoxes,
  MISSING_REASONS,
  toCitations,
} from '#src/services/pipelines/documents/chunk-locations.ts';
import {
  type DocumentChunk,
  type DocumentChunks,
  getDocumentChunks,
  getFileChunks,
  getPipelineChunk,
} from '#src/services/pipelines/documents/document-chunks.ts';
import type { Member } from '#src/services/pipelines/documents/document-members.ts';
import { editChunk } from '#src/services/pipelines/documents/edit-chunk.ts';
import { boundingBox, citation } from '../files/page.schemas.ts';
import { documentParams } from './pipeline-documents.ts';
import { pipelineFileParams } from './pipeline-files.ts';
import { textNode } from './pipelines.schemas.ts';
import { pipelineParams } from './pipelines.ts';
import { presentNode } from './retrieval.ts';

const chunkQuery = z.object({
  skip: z.number().int().min(0).nullish().describe('Number of chunks to skip.'),
  limit: z.number().int().min(1).max(500).nullish().describe('Maximum number of chunks. Default: all.'),
  around: z
    .string()
    .max(200)
    .nullish()
    .describe('Id of a chunk. Returns only this chunk and its neighbours.'),
  neighbours: z
    .number()
    .int()
    .min(0)
    .max(50)
    .nullish()
    .describe('Number of neighbours on each side. Default: 1.'),
  page_index: z
    .number()
    .int()
    .min(0)
    .nullish()
    .describe('Index of a page, from 0. Returns only chunks on this page.'),
  bounding_boxes: z
    .boolean()
    .nullish()
    .describe('Whether the answer contains the bounding boxes of each chunk, line by line.'),
  expand: expandField(
    ['citations'],
    '`citations`: what each chunk says on each of its pages, with the boxes of it.',
  ),
});

const documentChunk = textNode
  .extend({
    order: z.number().int().min(0).describe('Position of the chunk in its document, from 0.'),
    token_count: z.number().int().describe('Number of tokens of the text, as chunk sizes are counted.'),
    character_count: z.number().int().describe('Length of the text in UTF-16 code units.'),
    document_id: z
      .string()
      .describe('Id of the document of the chunk. For a file, this is the id of the file.'),
    file_id: z.uuid().nullable().describe('Id of the file. Null for text documents.'),
    enabled: z.boolean().describe('Whether queries can find the chunk.'),
    chunk_metadata: metadata.describe(
      'Metadata that was set for this chunk. `extra_info` contains it together with the metadata of the document.',
    ),
    page_indexes: z.array(z.number().int().min(0)).describe('Indexes of the pages of the chunk, from 0.'),
    bounding_boxes: z
      .array(
        boundingBox.extend({
          page_index: z.number().int().min(0),
          page_width: z.number(),
          page_height: z.number(),
        }),
      )
      .nullish()
      .describe('Bounding box of each printed line, in points from the upper left corner of its page.'),
    citations: z.array(citation).nullish().describe('One entry for each page of the chunk, if requested.'),
    without_citations: z
      .enum(MISSING_REASONS)
      .nullish()
      .describe(
        'Reason why there are no citations: the chunk belongs to a text document, the format has no pages, the file has not been parsed ' +
          'with the parameters of the pipeline, or its text has changed since the chunk was created.',
      ),
  })
  .meta({ id: 'DocumentChunk' });

function presentChunk(
  pipeline: Pipeline,
  member: Member,
  { chunk, tokenCount, locations: printed }: DocumentChunk,
  shown: { boxes?: boolean | null | undefined; citations?: boolean | undefined },
): z.input<typeof documentChunk> {
  const own = { embed: member.excludedEmbedMetadataKeys ?? [], llm: member.excludedLlmMetadataKeys ?? [] };
  const { startPage, endPage = startPage } = chunk;
  const pages = startPage === undefined || endPage === undefined ? 0 : endPage - startPage + 1;
  const chunkMetadata = member.chunkMetadata?.[chunk.hash] ?? {};
  const described = { ...chunk, metadata: { ...chunk.metadata, ...chunkMetadata } };
  return {
    ...presentNode(described, getExcludedKeys({ pipeline, source: pipeline }, own)),
    order: chunk.position,
    token_count: tokenCount,
    character_count: chunk.text.length,
    document_id: chunk.documentId,
    file_id: member.fileId,
    enabled: !member.disabledChunks?.includes(chunk.hash),
    chunk_metadata: chunkMetadata,
    page_indexes: Array.from({ length: pages }, (_, at) => startPage! + at),
    ...(shown.boxes && printed && { bounding_boxes: flattenBoxes(printed.pages) }),
    ...(shown.citations &&
      printed && { citations: toCitations(printed.pages), without_citations: printed.missingReason ?? null }),
  };
}

const withPlaces = (query: z.infer<typeof chunkQuery>) =>
  query.bounding_boxes === true || (query.expand?.includes('citations') ?? false);

const presentChunks = (
  { pipeline, member, chunks }: DocumentChunks,
  query: z.infer<typeof chunkQuery>,
): z.input<typeof documentChunk>[] =>
  chunks.map((chunk) =>
    presentChunk(pipeline, member, chunk, {
      boxes: query.bounding_boxes,
      citations: query.expand?.includes('citations'),
    }),
  );

const description =
  'Returns all chunks, the chunks from `skip` on, the chunks of one page, or one chunk with its neighbours. With ' +
  '`expand=citations` or `bounding_boxes`, returns at most 100 chunks, each with its positions on the images of its ' +
  'pages. The `relationships` of a chunk name the previous chunk (2) and the next chunk (3).';

export const pipelineChunkOperations = [
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/documents/{document_id}/chunks',
    id: 'listPipelineDocumentChunks',
    needs: 'read',
    tag: 'Pipeline documents',
    summary: 'List the chunks of a document',
    description,
    access: 'resource',
    params: documentParams,
    query: chunkQuery,
    response: { status: 200, json: z.array(documentChunk) },
    handle: async ({ ctx, params, query }) =>
      presentChunks(
        await getDocumentChunks(ctx, params.pipeline_id, params.document_id, query, withPlaces(query)),
        query,
      ),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks',
    id: 'listPipelineFileChunks',
    needs: 'read',
    tag: 'Pipeline files',
    summary: 'List the chunks of a file',
    description,
    access: 'resource',
    params: pipelineFileParams,
    query: chunkQuery,
    response: { status: 200, json: z.array(documentChunk) },
    handle: async ({ ctx, params, query }) =>
      presentChunks(
        await getFileChunks(ctx, params.pipeline_id, params.file_id, query, withPlaces(query)),
        query,
      ),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/nodes/{node_id}',
    id: 'getPipelineNode',
    needs: 'read',
    tag: 'Retrieval',
    summary: 'Read a chunk',
    description:
      'Returns the chunk with its positions: `citations` has an entry for each page that the chunk touches, with ' +
      'bounding boxes for the first 64. The id of a chunk is valid until its document changes.',
    access: 'resource',
    params: z.object({ ...pipelineParams.shape, node_id: z.string().min(1).max(200) }),
    response: { status: 200, json: documentChunk },
    async handle({ ctx, params }) {
      const { pipeline, member, chunk } = await getPipelineChunk(ctx, params.pipeline_id, params.node_id);
      return presentChunk(pipeline, member, chunk, { citations: true });
    },
  }),
  operation({
    method: 'patch',
    path: '/api/v1/pipelines/{pipeline_id}/nodes/{node_id}',
    id: 'updatePipelineNode',
    needs: 'write',
    tag: 'Retrieval',
    summary: 'Change a chunk',
    description:
      'With `enabled` false, no retrieval and no chat finds the chunk from now on, in whichever store its vector is. ' +
      'The chunk stays in lists of chunks. `metadata` is merged into the metadata of the chunk: filters, results and ' +
      'chats use it at once, and it takes precedence over the metadata of the document. Null removes a key that was ' +
      'set this way. Keys that the service sets, such as `file_name`, cannot be changed. The search for words and ' +
      'the embedding stay as they were. Both settings also apply to other chunks of the document with the same text. ' +
      'They outlast syncs and changes of the configuration as long as the text of the chunk stays the same. A ' +
      'pipeline can have at most 1,000 disabled chunks, and at most 256 KiB of metadata of chunks.',
    access: 'resource',
    params: z.object({ ...pipelineParams.shape, node_id: z.string().min(1).max(200) }),
    body: {
      json: z
        .object({ enabled: z.boolean().optional(), metadata: metadata.optional() })
        .refine(({ enabled, metadata: changes }) => enabled !== undefined || changes !== undefined, {
          message: 'must contain `enabled`, `metadata` or both',
        })
        .meta({ id: 'NodeUpdate' }),
    },
    response: { status: 200, json: documentChunk },
    errors: [409],
    async handle({ ctx, params, body }) {
      const { pipeline, member, chunk } = await editChunk(ctx, params.pipeline_id, params.node_id, body);
      return presentChunk(pipeline, member, chunk, { citations: true });
    },
  }),
];
