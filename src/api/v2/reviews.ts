import { z } from 'zod';
import { encodePieces, streamResponse } from '#src/api/http/stream-pieces.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import { iterateExamples } from '#src/services/jobs/reviews/examples.ts';
import {
  classifyReviewChange,
  extractReviewChange,
  getReview,
  type HistoryRow,
  MAX_REVISIONS,
  type Review,
  reviewClassification,
  reviewExtraction,
} from '#src/services/jobs/reviews/reviews.ts';
import { jobParams } from './jobs.schemas.ts';

const person = z.object({
  user_id: z.string(),
  name: z.string().nullable().describe('Name in the organization at that time. Null if the user had none.'),
});

const buildReviewSchema = <Corrections extends z.ZodType>(corrections: Corrections) =>
  z.object({
    job_id: z.string(),
    revision: z.int().describe('Number of changes. 0 if nobody has reviewed the job.'),
    approved: z.boolean(),
    corrections,
    approved_by: person.nullish(),
    approved_at: timestamp.nullish(),
    history: z
      .array(
        z.object({
          revision: z.int(),
          approved: z.boolean(),
          changed_by: person,
          changed_at: timestamp,
        }),
      )
      .describe('Changes of the review, newest first. The last 200 are kept.'),
    next_page_token: z.string().nullish().describe('Token of the next page of the history, or null.'),
  });

const extractReviewBody = buildReviewSchema(z.record(z.string(), z.unknown())).meta({ id: 'ExtractReview' });
const classifyReviewBody = buildReviewSchema(z.object({ type: z.string().nullable() }).nullable()).meta({
  id: 'ClassifyReview',
});

const reviewQuery = z.object({
  revision: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe('Revision whose corrections and approval are returned. The current one by default.'),
  page_size: z
    .number()
    .int()
    .min(1)
    .max(MAX_REVISIONS)
    .nullish()
    .describe('Maximum number of changes in `history`.'),
  page_token: z
    .string()
    .nullish()
    .describe('The `next_page_token` of the previous page of the history. Absent for the first page.'),
});

function presentReview<Corrections>({ jobId, shown, history }: Review, none: Corrections) {
  const toPerson = ({ userId, userName }: HistoryRow) => ({ user_id: userId, name: userName });
  return {
    job_id: jobId,
    revision: shown?.revision ?? 0,
    approved: shown?.isApproved ?? false,
    corrections: (shown?.corrections as Corrections | undefined) ?? none,
    approved_by: shown?.isApproved ? toPerson(shown) : null,
    approved_at: shown?.isApproved ? shown.createdAt.toISOString() : null,
    history: history.items.map((row) => ({
      revision: row.revision,
      approved: row.isApproved,
      changed_by: toPerson(row),
      changed_at: row.createdAt.toISOString(),
    })),
    next_page_token: history.next_page_token,
  };
}

const presentExtractReview = (review: Review) => presentReview<Record<string, unknown>>(review, {});
const presentClassifyReview = (review: Review) => presentReview<{ type: string | null } | null>(review, null);

const readDescription =
  'Returns the corrections, and who approved the result and when. The result of the job itself never changes. ' +
  '`history` lists the changes without their corrections; `revision` returns those of an earlier change.';
const writeDescription =
  'Saves corrections and approves the result, or withdraws the approval. Send the `revision` that you have ' +
  'read; the answer is 409 if somebody has changed the review since. The service sets the user and the time.';

export const extractReviewOperations = [
  operation({
    method: 'get',
    path: '/api/v2/extract/reviewed-examples',
    id: 'listReviewedExamples',
    needs: 'read',
    tag: 'Extract',
    summary: 'Export approved results',
    description:
      'Streams the approved results of a saved configuration as JSON Lines, newest first: the file, its parse ' +
      'job and the corrected values.',
    access: 'project',
    query: z.object({ configuration_id: z.string().max(200).describe('Id of the saved configuration.') }),
    response: {
      status: 200,
      description: 'One JSON object per line.',
      content: { 'application/jsonl': z.string() },
    },
    async handle({ ctx, query }) {
      const examples = iterateExamples(ctx, query.configuration_id);
      async function* toLines() {
        for await (const example of examples) yield `${JSON.stringify(example)}\n`;
      }
      return streamResponse(ctx, encodePieces(toLines()), { 'content-type': 'application/jsonl' });
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/extract/{job_id}/review',
    id: 'getExtractReview',
    needs: 'read',
    tag: 'Extract',
    summary: 'Read the review of an extract job',
    description: readDescription,
    access: 'resource',
    params: jobParams('ext'),
    query: reviewQuery,
    response: { status: 200, json: extractReviewBody },
    handle: async ({ ctx, params, query }) =>
      presentExtractReview(await getReview(ctx, 'extract', params.job_id, query)),
  }),
  operation({
    method: 'put',
    path: '/api/v2/extract/{job_id}/review',
    id: 'reviewExtractJob',
    needs: 'write',
    tag: 'Extract',
    summary: 'Review an extract job',
    description: `${writeDescription} Corrected values must fit the schema of the job, or be null.`,
    access: 'resource',
    params: jobParams('ext'),
    body: { json: extractReviewChange },
    response: { status: 200, json: extractReviewBody },
    errors: [400, 409],
    handle: async ({ ctx, params, body }) =>
      presentExtractReview(await reviewExtraction(ctx, params.job_id, body)),
  }),
];

export const classifyReviewOperations = [
  operation({
    method: 'get',
    path: '/api/v2/classify/{job_id}/review',
    id: 'getClassifyReview',
    needs: 'read',
    tag: 'Classify',
    summary: 'Read the review of a classify job',
    description: readDescription,
    access: 'resource',
    params: jobParams('cls'),
    query: reviewQuery,
    response: { status: 200, json: classifyReviewBody },
    handle: async ({ ctx, params, query }) =>
      presentClassifyReview(await getReview(ctx, 'classify', params.job_id, query)),
  }),
  operation({
    method: 'put',
    path: '/api/v2/classify/{job_id}/review',
    id: 'reviewClassifyJob',
    needs: 'write',
    tag: 'Classify',
    summary: 'Review a classify job',
    description: writeDescription,
    access: 'resource',
    params: jobParams('cls'),
    body: { json: classifyReviewChange },
    response: { status: 200, json: classifyReviewBody },
    errors: [400, 409],
    handle: async ({ ctx, params, body }) =>
      presentClassifyReview(await reviewClassification(ctx, params.job_id, body)),
  }),
];
