import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import {
  type ChunksOfDocument,
  chunkOfPipeline,
  chunksOfDocument,
  chunksOfFile,
  type DocumentChunk,
} from '#src/services/pipelines/documents/document-chunks.ts';
import type { Member } from '#src/services/pipelines/documents/document-members.ts';
import { citationsOf, flatBoxes, WITHOUT_PLACES } from '#src/services/pipelines/documents/printed-places.ts';
import { boundingBox, citation } from '../files/page.schemas.ts';
import { documentParams } from './pipeline-documents.ts';
import { pipelineFileParams } from './pipeline-files.ts';
import { textNode } from './pipelines.schemas.ts';
import { pipelineParams } from './pipelines.ts';
import { presentNode } from './retrieval.ts';

const chunkQuery = z.object({
  skip: z.number().int().min(0).nullish().describe('Chunks to leave out at the start.'),
  limit: z.number().int().min(1).max(500).nullish().describe('At most so many chunks; all if absent.'),
  around: z.string().max(200).nullish().describe('The id of a chunk: only that one and its neighbours.'),
  neighbours: z
    .number()
    .int()
    .min(0)
    .max(50)
    .nullish()
    .describe('How many on either side of it; 1 if absent.'),
  page_index: z.number().int().min(0).nullish().describe('From 0: only chunks that touch this page.'),
  bounding_boxes: z
    .boolean()
    .nullish()
    .describe('With the boxes of the words that each chunk is made of, line by line.'),
  expand: expandField(
    ['citations'],
    '`citations`: what each chunk says on each of its pages, with the boxes of it.',
  ),
});

const documentChunk = textNode
  .extend({
    order: z.number().int().min(0).describe('Of the chunk in its document, from 0.'),
    token_count: z.number().int().describe('Of the text, as chunk sizes are counted.'),
    character_count: z.number().int().describe('Of the text, in UTF-16 code units.'),
    document_id: z.string().describe('The document that the chunk is of; a file’s is the file’s id.'),
    file_id: z.uuid().nullable().describe('Null for texts that came as such.'),
    page_indexes: z.array(z.number().int().min(0)).describe('The pages that the chunk touches, from 0.'),
    bounding_boxes: z
      .array(
        boundingBox.extend({
          page_index: z.number().int().min(0),
          page_width: z.number(),
          page_height: z.number(),
        }),
      )
      .nullish()
      .describe('A box for each line of print, in points from the upper left corner of its page.'),
    citations: z
      .array(citation)
      .nullish()
      .describe('One for each page that the chunk touches, where it was asked for.'),
    without_citations: z
      .enum(WITHOUT_PLACES)
      .nullish()
      .describe(
        'Why there are no citations: the text came as such, the format has no pages, the file has not been parsed ' +
          'as the pipeline says, or reads otherwise by now than when the chunk was made.',
      ),
  })
  .meta({ id: 'DocumentChunk' });

function presentChunk(
  pipeline: Pipeline,
  member: Member,
  { chunk, tokenCount, printed }: DocumentChunk,
  shown: { boxes?: boolean | null | undefined; citations?: boolean | undefined },
): z.input<typeof documentChunk> {
  const own = { embed: member.excludedEmbedMetadataKeys ?? [], llm: member.excludedLlmMetadataKeys ?? [] };
  const { startPage, endPage = startPage } = chunk;
  const pages = startPage === undefined || endPage === undefined ? 0 : endPage - startPage + 1;
  return {
    ...presentNode(pipeline, chunk, own),
    order: chunk.position,
    token_count: tokenCount,
    character_count: chunk.text.length,
    document_id: chunk.documentId,
    file_id: member.fileId,
    page_indexes: Array.from({ length: pages }, (_, at) => startPage! + at),
    ...(shown.boxes && printed && { bounding_boxes: flatBoxes(printed.pages) }),
    ...(shown.citations &&
      printed && { citations: citationsOf(printed.pages), without_citations: printed.without ?? null }),
  };
}

const withPlaces = (query: z.infer<typeof chunkQuery>) =>
  query.bounding_boxes === true || (query.expand?.includes('citations') ?? false);

const presentChunks = (
  { pipeline, member, chunks }: ChunksOfDocument,
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
    tag: 'Pipeline documents',
    summary: 'List the chunks of a document',
    description,
    access: 'resource',
    params: documentParams,
    query: chunkQuery,
    response: { status: 200, json: z.array(documentChunk) },
    handle: async ({ ctx, params, query }) =>
      presentChunks(
        await chunksOfDocument(ctx, params.pipeline_id, params.document_id, query, withPlaces(query)),
        query,
      ),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks',
    id: 'listPipelineFileChunks',
    tag: 'Pipeline files',
    summary: 'List the chunks of a file',
    description,
    access: 'resource',
    params: pipelineFileParams,
    query: chunkQuery,
    response: { status: 200, json: z.array(documentChunk) },
    handle: async ({ ctx, params, query }) =>
      presentChunks(
        await chunksOfFile(ctx, params.pipeline_id, params.file_id, query, withPlaces(query)),
        query,
      ),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/nodes/{node_id}',
    id: 'getPipelineNode',
    tag: 'Retrieval',
    summary: 'Read a chunk',
    description:
      'Returns the chunk with its positions: `citations` has an entry for each page that the chunk touches, with ' +
      'bounding boxes for the first 64. The id of a chunk is valid until its document changes.',
    access: 'resource',
    params: z.object({ ...pipelineParams.shape, node_id: z.string().min(1).max(200) }),
    response: { status: 200, json: documentChunk },
    async handle({ ctx, params }) {
      const { pipeline, member, chunk } = await chunkOfPipeline(ctx, params.pipeline_id, params.node_id);
      return presentChunk(pipeline, member, chunk, { citations: true });
    },
  }),
];
