import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { newDocuments } from '#src/services/pipelines/documents/document-input.ts';
import type { PipelineDocument } from '#src/services/pipelines/documents/document-rows.ts';
import { type ShownDocument, toShownDocument } from '#src/services/pipelines/documents/document-texts.ts';
import {
  countDocumentsByStatus,
  deleteDocument,
  findDocument,
  getDocument,
  listDocuments,
  syncDocument,
} from '#src/services/pipelines/documents/documents.ts';
import { putDocuments } from '#src/services/pipelines/documents/put-documents.ts';
import { getPipeline } from '#src/services/pipelines/pipelines.ts';
import { getIngestionState } from '#src/services/pipelines/sync.ts';
import { statusCountsBody, withEveryStatus } from './pipeline-files.schemas.ts';
import { presentStatus } from './pipeline-sync.ts';
import { ingestionStatusBody } from './pipelines.schemas.ts';
import { pipelineParams } from './pipelines.ts';

export const documentBody = z
  .object({
    id: z.string(),
    text: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    excluded_embed_metadata_keys: z.array(z.string()),
    excluded_llm_metadata_keys: z.array(z.string()),
    page_positions: z.array(z.number().int()).nullish(),
    status_metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'PipelineDocument' });

function presentDocument(shown: ShownDocument): z.input<typeof documentBody> {
  const { member, text, metadata, pagePositions, isTextOmitted: isTextLeftOut } = shown;
  return {
    id: member.documentId,
    text,
    metadata,
    excluded_embed_metadata_keys: shown.excludedEmbedMetadataKeys,
    excluded_llm_metadata_keys: shown.excludedLlmMetadataKeys,
    page_positions: pagePositions,
    status_metadata: {
      status: member.status,
      status_updated_at: member.statusUpdatedAt?.toISOString() ?? null,
      chunk_count: member.chunkCount,
      error: member.error,
      ...(isTextLeftOut && { text_left_out: true }),
    },
  };
}

export const presentPut = ({ row, text }: PipelineDocument) => presentDocument(toShownDocument(row, text));

const listQuery = z.object({
  skip: z.number().int().min(0).nullish().describe('Number of documents to skip.'),
  limit: z.number().int().min(1).max(500).nullish().describe('Maximum number of documents. Default: 10.'),
  file_id: z.string().max(200).nullish().describe('Only the document of this file.'),
  only_direct_upload: z.boolean().nullish().describe('Only text documents.'),
  only_api_data_source_documents: z.boolean().nullish().describe('Only files of data sources.'),
  status_refresh_policy: z
    .enum(['cached', 'ttl'])
    .nullish()
    .describe('Accepted for compatibility without effect, because states are always current.'),
});

async function list(ctx: Parameters<typeof listDocuments>[0], id: string, query: z.infer<typeof listQuery>) {
  const page = { skip: query.skip ?? 0, limit: query.limit ?? 10 };
  const { documents, totalCount } = await listDocuments(ctx, id, query, page);
  return {
    documents: documents.map(presentDocument),
    limit: page.limit,
    offset: page.skip,
    total_count: totalCount,
  };
}

export const documentParams = z.object({ ...pipelineParams.shape, document_id: z.string().min(1) });
const path = '/api/v1/pipelines/{pipeline_id}/documents';
const one = `${path}/{document_id}`;
const tag = 'Pipeline documents';

export const pipelineDocumentOperations = [
  operation({
    method: 'post',
    path,
    id: 'insertPipelineDocuments',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Add documents to a pipeline',
    description:
      'Adds texts, which the pipeline indexes in the background. Answers 409 if the pipeline has a ' +
      'different document with one of the ids already.',
    access: 'resource',
    params: pipelineParams,
    body: { json: newDocuments },
    response: { status: 200, json: z.array(documentBody) },
    handle: async ({ ctx, params, body }) =>
      (await putDocuments(ctx, params.pipeline_id, body, { replace: false })).map(presentPut),
  }),
  operation({
    method: 'put',
    path,
    id: 'upsertPipelineDocuments',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Add or replace documents',
    description:
      'Adds texts to the pipeline and replaces documents with the same ids. The pipeline indexes them ' +
      'in the background.',
    access: 'resource',
    params: pipelineParams,
    body: { json: newDocuments },
    response: { status: 200, json: z.array(documentBody) },
    handle: async ({ ctx, params, body }) =>
      (await putDocuments(ctx, params.pipeline_id, body, { replace: true })).map(presentPut),
  }),
  operation({
    method: 'get',
    path,
    id: 'listPipelineDocuments',
    needs: 'read',
    tag,
    summary: 'List the documents of a pipeline',
    description: 'Returns texts that were added as documents, and the parsed text of files.',
    deprecated: true,
    access: 'resource',
    params: pipelineParams,
    query: listQuery,
    response: { status: 200, json: z.array(documentBody) },
    handle: async ({ ctx, params, query }) => (await list(ctx, params.pipeline_id, query)).documents,
  }),
  operation({
    method: 'get',
    path: `${path}/paginated`,
    id: 'pagePipelineDocuments',
    needs: 'read',
    tag,
    summary: 'List the documents of a pipeline with their number',
    description:
      'A file is a document with the same id, and has text after it has been parsed. A text that ' +
      'would make the answer too large is omitted, and `text_left_out` is true. Read such a document by ' +
      'its id.',
    access: 'resource',
    params: pipelineParams,
    query: listQuery,
    response: {
      status: 200,
      json: z.object({
        documents: z.array(documentBody),
        limit: z.number().int(),
        offset: z.number().int(),
        total_count: z.number().int(),
      }),
    },
    handle: ({ ctx, params, query }) => list(ctx, params.pipeline_id, query),
  }),
  operation({
    method: 'get',
    path: `${path}/status-counts`,
    id: 'countPipelineDocuments',
    needs: 'read',
    tag,
    summary: 'Count the documents of a pipeline by state',
    description: 'Returns how many documents are in each state.',
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: statusCountsBody },
    handle: async ({ ctx, params }) => ({
      ...withEveryStatus(await countDocumentsByStatus(ctx, params.pipeline_id)),
      pipeline_id: params.pipeline_id,
    }),
  }),
  operation({
    method: 'get',
    path: one,
    id: 'getPipelineDocument',
    needs: 'read',
    tag,
    summary: 'Read a document',
    description: 'Returns the text and the metadata of one document.',
    access: 'resource',
    params: documentParams,
    response: { status: 200, json: documentBody },
    handle: async ({ ctx, params }) =>
      presentDocument(await getDocument(ctx, params.pipeline_id, params.document_id)),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'deletePipelineDocument',
    needs: 'write',
    tag,
    summary: 'Delete a document',
    description:
      'Retrieval no longer finds the document. If the document is a file, the file is removed from the pipeline ' +
      'and stays in the project.',
    access: 'resource',
    params: documentParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteDocument(ctx, params.pipeline_id, params.document_id),
  }),
  operation({
    method: 'get',
    path: `${one}/status`,
    id: 'getPipelineDocumentStatus',
    needs: 'read',
    tag,
    summary: 'Read the state of a document',
    description:
      'Says whether the document is waiting, in progress, indexed or failed, and lists its errors.',
    access: 'resource',
    params: documentParams,
    response: { status: 200, json: ingestionStatusBody },
    async handle({ ctx, params }) {
      const pipeline = await getPipeline(ctx, params.pipeline_id);
      const { member } = await findDocument(ctx, pipeline, params.document_id);
      return presentStatus(await getIngestionState(ctx, member));
    },
  }),
  operation({
    method: 'post',
    path: `${one}/sync`,
    id: 'syncPipelineDocument',
    needs: 'write',
    tag,
    summary: 'Index a document again',
    description:
      'Schedules the document and returns its state. Also works for a document that failed permanently.',
    access: 'resource',
    params: documentParams,
    response: { status: 200, json: ingestionStatusBody },
    async handle({ ctx, params }) {
      const member = await syncDocument(ctx, params.pipeline_id, params.document_id);
      return presentStatus(await getIngestionState(ctx, member));
    },
  }),
];
