import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { MAX_NAME_PART_CHARACTERS } from '#src/db/contains.ts';
import { Invalid } from '#src/lib/errors.ts';
import { newFeedback, putFeedback } from '#src/services/traces/feedback.ts';
import { deleteTraces, getTracePage } from '#src/services/traces/list.ts';
import { deleteTrace, getTrace } from '#src/services/traces/read.ts';
import { findTraceSettings, newTraceSettings, putTraceSettings } from '#src/services/traces/settings.ts';
import {
  presentSettings,
  presentSummary,
  presentTrace,
  traceBody,
  traceSettingsBody,
  traceSummary,
} from './traces.schemas.ts';

const tag = 'Traces';
const PATH = '/api/v1/traces';
const params = idParams('trace_id');

const time = z.iso.datetime({ offset: true });
const filter = z.object({
  kind: z.enum(['retrieval', 'chat']).nullish().describe('Only traces of this kind.'),
  pipeline_id: z.uuid().nullish().describe('Only traces of this pipeline.'),
  retriever_id: z.uuid().nullish().describe('Only traces of this retriever.'),
  from: time.nullish().describe('Only traces at or after this time.'),
  to: time.nullish().describe('Only traces before this time.'),
  has_feedback: z.boolean().nullish().describe('Whether somebody has rated the retrieval or answer.'),
  feedback: z.enum(['up', 'down']).nullish().describe('Only traces with this rating.'),
  min_duration_ms: z
    .number()
    .int()
    .min(0)
    .nullish()
    .describe('Only traces that took at least this many milliseconds.'),
  refused: z.boolean().nullish().describe('Whether the answer says that the documents do not answer.'),
  error: z.boolean().nullish().describe('Whether the retrieval or answer failed.'),
  q: z
    .string()
    .max(MAX_NAME_PART_CHARACTERS)
    .nullish()
    .describe('Part of the question, regardless of case. Only recorded questions are found.'),
});

const settingsOperations = [
  operation({
    method: 'get',
    path: `${PATH}/settings`,
    id: 'getTraceSettings',
    needs: 'read',
    tag,
    summary: 'Read the trace settings of a project',
    description:
      'Returns which share of retrievals and answers is recorded, for how long, and whether with texts.',
    access: 'project',
    response: { status: 200, json: traceSettingsBody },
    handle: async ({ ctx }) => presentSettings(await findTraceSettings(ctx, ctx.projectId)),
  }),
  operation({
    method: 'put',
    path: `${PATH}/settings`,
    id: 'putTraceSettings',
    needs: 'admin',
    tag,
    summary: 'Replace the trace settings of a project',
    description:
      'Omitted members are reset to their defaults. Existing traces keep their texts, but `retention_days` applies to ' +
      'them too. Only for admins of the organization.',
    access: 'project',
    body: { json: newTraceSettings },
    response: { status: 200, json: traceSettingsBody },
    handle: async ({ ctx, body }) => presentSettings(await putTraceSettings(ctx, body)),
  }),
];

export const traceOperations = [
  ...settingsOperations,
  operation({
    method: 'get',
    path: PATH,
    id: 'listTraces',
    needs: 'read',
    tag,
    summary: 'List traces',
    description:
      'Returns the recorded retrievals and chat answers of the project, newest first. Admins see all of them, others ' +
      'what they asked themselves.',
    access: 'project',
    query: filter.extend(pageQuery.shape),
    response: { status: 200, json: buildPageSchema(traceSummary).meta({ id: 'TracePage' }) },
    async handle({ ctx, query }) {
      const page = await getTracePage(ctx, query);
      return { ...page, items: page.items.map(presentSummary) };
    },
  }),
  operation({
    method: 'delete',
    path: PATH,
    id: 'deleteTraces',
    needs: 'write',
    tag,
    summary: 'Delete traces',
    description:
      'Deletes the traces that the filters select, with their feedback. `all=true` deletes all traces that you can see.',
    access: 'project',
    query: filter.extend({ all: z.boolean().nullish().describe('Required if there is no filter.') }),
    response: {
      status: 200,
      json: z.object({ deleted: z.number().int() }).meta({ id: 'DeletedTraces' }),
    },
    async handle({ ctx, query: { all, ...query } }) {
      const hasFilter = Object.values(query).some(
        (value) => value !== null && value !== undefined && value !== '',
      );
      if (!hasFilter && !all) throw Invalid.field(['all'], 'must be true, or a filter must be given');
      return { deleted: await deleteTraces(ctx, query) };
    },
  }),
  operation({
    method: 'get',
    path: `${PATH}/{trace_id}`,
    id: 'getTrace',
    needs: 'read',
    tag,
    summary: 'Read a trace',
    description:
      'Returns the trace with the scores and ranks of its candidates. Texts of passages are read from the index, so that ' +
      'deleted passages have none. The answer is shown only while all passages of its prompt exist unchanged.',
    access: 'resource',
    params,
    response: { status: 200, json: traceBody },
    errors: [502],
    handle: async ({ ctx, params }) => presentTrace(await getTrace(ctx, params.trace_id)),
  }),
  operation({
    method: 'delete',
    path: `${PATH}/{trace_id}`,
    id: 'deleteTrace',
    needs: 'write',
    tag,
    summary: 'Delete a trace',
    description: 'Deletes the trace and its feedback. The chat message stays.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteTrace(ctx, params.trace_id),
  }),
  operation({
    method: 'put',
    path: `${PATH}/{trace_id}/feedback`,
    id: 'putTraceFeedback',
    needs: 'retrieve',
    tag,
    summary: 'Give feedback',
    description:
      'Rates a retrieval or an answer. The id is that of a trace, or that of an answer in one of your chat sessions, ' +
      'also if the answer was not recorded.',
    access: 'resource',
    params,
    body: { json: newFeedback },
    response: { status: 200, json: traceSummary },
    handle: async ({ ctx, params, body }) => presentSummary(await putFeedback(ctx, params.trace_id, body)),
  }),
];
