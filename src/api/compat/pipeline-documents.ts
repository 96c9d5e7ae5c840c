import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { documentBody, presentPut } from '#src/api/v1/pipelines/pipeline-documents.ts';
import { pipelineParams } from '#src/api/v1/pipelines/pipelines.ts';
import { newDocuments } from '#src/services/pipelines/documents/document-input.ts';
import { putDocuments } from '#src/services/pipelines/documents/put-documents.ts';

/**
 * Operation that adds or replaces documents. Clients of LlamaCloud send all documents of an index again after
 * editing some of them.
 */
export const clientDocumentOperations = [
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/documents',
    id: 'putPipelineDocuments',
    needs: 'write',
    isBulk: true,
    tag: 'Pipeline documents',
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
];
