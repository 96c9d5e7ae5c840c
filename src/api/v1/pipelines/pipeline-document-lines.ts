import { z } from 'zod';
import { authenticateAgain } from '#src/api/http/auth.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import type { TenantContext } from '#src/context/context.ts';
import {
  type ImportEvent,
  importLines,
  type LineImport,
} from '#src/services/pipelines/documents/lines/import-lines.ts';
import { getPipelineForInserts } from '#src/services/pipelines/pipelines.ts';
import { requireWriter } from '#src/services/tenancy/roles.ts';
import { pipelineParams } from './pipelines.ts';

const JSON_LINES = 'application/x-ndjson';

export const pipelineDocumentLinesOperation = operation({
  method: 'post',
  path: '/api/v1/pipelines/{pipeline_id}/documents/lines',
  id: 'importPipelineDocumentLines',
  needs: 'write',
  isBulk: true,
  tag: 'Pipeline documents',
  summary: 'Stream documents into a pipeline',
  description:
    'Adds or replaces documents from JSON Lines: each line is a document as in the operation that adds documents. One ' +
    'request can contain millions of them. Documents are stored and indexed while the request is still being sent, and ' +
    'the request is read only as fast as documents are stored. The answer is JSON Lines, too: `error` for each line ' +
    'that is wrong (the others are stored), `warning` for a field without effect, `progress` after each step, and ' +
    '`end`. After an interruption, send the rest of the file from the byte `bytes` on, with `first_line` set to ' +
    '`next_line`, both from the last `progress` or `end`. The import ends after 1000 wrong lines.',
  access: 'resource',
  params: pipelineParams,
  query: z.object({
    first_line: z
      .number()
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .nullish()
      .describe('Number of the first line in this request, for the numbers in the answer. Default: 1.'),
  }),
  body: { bytes: true, type: JSON_LINES },
  response: {
    status: 200,
    content: { [JSON_LINES]: z.string() },
    description: 'What became of the lines, as JSON Lines',
  },
  async handle({ ctx, params, query, request }) {
    await getPipelineForInserts(ctx, params.pipeline_id);
    return streamEvents(ctx, {
      pipelineId: params.pipeline_id,
      body: request.body,
      firstLine: query.first_line ?? 1,
      authorize: async () =>
        requireWriter(await (await authenticateAgain(ctx, request)).tenantContext({}), true),
    });
  },
});

/**
 * Streams the events of an import. Events do not wait for the client to read them, because many clients read nothing
 * before they have sent everything. Their number is bounded by that of errors and of batches.
 */
function streamEvents(ctx: TenantContext, source: Omit<LineImport, 'report'>): Response {
  const encoder = new TextEncoder();
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const report = (event: ImportEvent) => {
        if (isOpen) controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
      };
      const importing = importLines(ctx, { ...source, report }).then(() => {
        if (isOpen) controller.close();
      });
      ctx.defer(importing);
    },
    cancel() {
      isOpen = false;
    },
  });
  return new Response(body, { headers: { 'content-type': JSON_LINES } });
}
