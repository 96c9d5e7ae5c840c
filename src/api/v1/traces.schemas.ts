import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import type { TraceSettings } from '#src/db/schema/index.ts';
import type { TraceSummary } from '#src/services/traces/list.ts';
import type { ShownTrace } from '#src/services/traces/read.ts';
import { newTraceSettings } from '#src/services/traces/settings.ts';

const seconds = z.record(z.string(), z.number());

export const traceSettingsBody = z
  .object({
    sample_rate: z.number(),
    retention_days: z.number().int(),
    record_text: z.boolean(),
    redact_where: newTraceSettings.shape.redact_where,
  })
  .meta({ id: 'TraceSettings' });

export const presentSettings = (row: TraceSettings): z.input<typeof traceSettingsBody> => ({
  sample_rate: row.sampleRate,
  retention_days: row.retentionDays,
  record_text: row.recordText,
  redact_where: row.redactWhere as z.input<typeof traceSettingsBody>['redact_where'],
});

export const traceSummary = z
  .object({
    id: z.uuid().describe('For a chat answer, this is also the id of its message.'),
    kind: z.enum(['retrieval', 'chat']),
    pipeline_id: z.uuid().nullable(),
    retriever_id: z.uuid().nullable(),
    session_id: z.uuid().nullable().describe('Chat session that contains the answer.'),
    user_id: z.uuid().nullable().describe('Null if the user was removed.'),
    key_id: z.uuid().nullable().describe('Null if the user signed in with an identity provider.'),
    request_id: z.string().nullable(),
    question: z.string().nullable().describe('Null if the project does not record texts.'),
    duration_ms: z.number().int().nullable(),
    refused: z.boolean().describe('Whether the answer says that the documents do not answer the question.'),
    error_code: z.string().nullable().describe('`code` of the error. Null if there was none.'),
    feedback: z
      .object({ rating: z.enum(['up', 'down']), comment: z.string().nullable(), created_at: timestamp })
      .nullable(),
    created_at: timestamp.describe('Time at which the retrieval or answer began.'),
  })
  .meta({ id: 'TraceSummary' });

export const presentSummary = (row: TraceSummary): z.input<typeof traceSummary> => ({
  id: row.id,
  kind: row.kind,
  pipeline_id: row.pipelineId,
  retriever_id: row.retrieverId,
  session_id: row.sessionId,
  user_id: row.userId,
  key_id: row.keyId,
  request_id: row.requestId,
  question: row.question,
  duration_ms: row.durationMs,
  refused: row.isRefused,
  error_code: row.errorCode,
  feedback:
    row.rating && row.ratedAt
      ? { rating: row.rating, comment: row.comment, created_at: row.ratedAt.toISOString() }
      : null,
  created_at: row.createdAt.toISOString(),
});

const filters = z.looseObject({ condition: z.string(), filters: z.array(z.unknown()) }).nullable();

const candidate = z.object({
  chunk_id: z.string(),
  document_id: z.string(),
  pipeline_id: z.uuid(),
  hash: z.string().describe('Hash of the text of the chunk.'),
  start_char: z.number().int(),
  end_char: z.number().int(),
  rank_before: z.number().int().describe('Rank before reranking, counted from 1.'),
  rank_after: z.number().int().nullable().describe('Rank among the results. Null if the chunk is no result.'),
  fused: z.number().describe('Score before reranking.'),
  dense: z.number().nullable(),
  sparse: z.number().nullable(),
  rerank: z.number().nullable(),
  is_redacted: z.boolean().describe('Whether the metadata matched `redact_where`.'),
  text: z
    .string()
    .nullable()
    .describe('Present text of a result. Null if the chunk is no result, is redacted, or is not available.'),
  title: z.string().nullable(),
  is_available: z
    .boolean()
    .nullable()
    .describe('Whether you can read the chunk and its text is unchanged. Null if the chunk is no result.'),
});

const answer = z.object({
  status: z.enum(['complete', 'cut', 'failed', 'aborted']),
  model: z.string(),
  finish_reason: z.string().nullable(),
  text: z.string().nullable(),
  characters: z.number().int(),
  condensed_question: z.string().nullable().describe('Question that was searched, if it was rewritten.'),
  searched_parts: z
    .array(z.string())
    .nullable()
    .describe('Parts of the question that were searched separately.'),
  messages: z
    .array(z.object({ role: z.string(), text: z.string().nullable(), characters: z.number().int() }))
    .describe(
      'Prompt of the language model. `{passage 1}` stands for the result with `rank_after` 1. Earlier answers and ' +
        'outputs of tools have no text. Empty if no language model answered.',
    ),
  passage_count: z.number().int().describe('Number of results that the prompt contained.'),
  input_tokens: z.number().nullable(),
  output_tokens: z.number().nullable(),
  cost: z.number().nullable().describe('Null if the operator configured no prices.'),
  citations: z.array(z.object({ citation: z.number().int(), chunk_id: z.string() })),
  removed_citations: z.array(
    z.object({
      citation: z.number().int(),
      chunk_id: z.string().nullable(),
      reason: z.string(),
      statement: z.string().nullable(),
    }),
  ),
  timings: seconds.describe(
    'Seconds until the search ended, the first text was written, and the answer ended.',
  ),
});

export const traceBody = traceSummary
  .extend({
    details: z
      .object({
        w3c_trace_id: z
          .string()
          .nullable()
          .describe('Trace id that logs and the OpenTelemetry export contain.'),
        has_text: z.boolean(),
        is_redacted: z.boolean(),
        is_truncated: z.boolean().describe('Whether parts were left out because the trace was too large.'),
        is_withheld: z
          .boolean()
          .describe(
            'Whether texts are not shown, because a passage was deleted or changed or you cannot read it.',
          ),
        question_characters: z.number().int(),
        filters,
        inferred_filters: filters,
        parameters: z.record(z.string(), z.unknown()),
        candidates: z.array(candidate),
        notes: z.record(z.string(), z.string()),
        latency: seconds.describe('Seconds per stage of the retrieval.'),
        answer: answer.nullable(),
        error: z.object({ code: z.string(), message: z.string().nullable() }).nullable(),
      })
      .nullable()
      .describe('Null if only feedback was given, and the answer was not recorded.'),
  })
  .meta({ id: 'Trace' });

export const presentTrace = ({ row, details }: ShownTrace): z.input<typeof traceBody> => ({
  ...presentSummary(row),
  details: (details as z.input<typeof traceBody>['details']) ?? null,
});
