import { z } from 'zod';
import { streamResponse } from '#src/api/http/stream-pieces.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import type { AuditEvent } from '#src/db/schema/index.ts';
import { EVENTS_PER_SEARCH, exportAudit, getAuditPage } from '#src/services/audit/list.ts';

const tag = 'Organizations';
const PATH = '/api/v1/organizations/{organization_id}/audit-log';

const time = z.iso.datetime({ offset: true });
const filter = z.object({
  user_id: z.string().max(64).nullish().describe('Only events of this user.'),
  changed_project_id: z
    .uuid()
    .nullish()
    .describe('Only events of this project, which may have been deleted.'),
  operation: z
    .string()
    .max(100)
    .nullish()
    .describe('Only events of this operation, such as `deletePipeline`.'),
  object_id: z.string().max(200).nullish().describe('Only events of the object with this id.'),
  outcome: z.enum(['success', 'failure']).nullish().describe('Only events with this outcome.'),
  from: time
    .nullish()
    .describe(
      'Only events at or after this time. By default, filters by user, project, operation or outcome without an ' +
        '`object_id` search the 90 days before `to` or before now.',
    ),
  to: time.nullish().describe('Only events before this time.'),
});

const eventBody = z
  .object({
    id: z.uuid(),
    created_at: timestamp,
    organization_id: z.uuid(),
    project_id: z.string().nullable(),
    user_id: z.string().nullable().describe('Null if the user is unknown or was removed.'),
    key_id: z.string().nullable().describe('Null if the user signed in with an identity provider.'),
    operation: z.string().describe('Id of the operation.'),
    outcome: z.enum(['success', 'failure']).describe('Failures are recorded for sign-ins only.'),
    object_type: z.string().nullable(),
    object_id: z.string().nullable(),
    request_id: z.string(),
    trace_id: z.string().nullable(),
    address: z.string().nullable().describe('Null unless AUDIT_LOG_ADDRESSES is set.'),
  })
  .meta({ id: 'AuditEvent' });

function present(row: AuditEvent): z.input<typeof eventBody> {
  return {
    id: row.id,
    created_at: row.createdAt.toISOString(),
    organization_id: row.organizationId,
    project_id: row.projectId,
    user_id: row.userId,
    key_id: row.keyId,
    operation: row.operation,
    outcome: row.outcome,
    object_type: row.objectType,
    object_id: row.objectId,
    request_id: row.requestId,
    trace_id: row.traceId,
    address: row.address,
  };
}

export const auditLogOperations = [
  operation({
    method: 'get',
    path: PATH,
    id: 'listAuditEvents',
    needs: 'admin',
    tag,
    summary: 'List the audit log',
    description:
      'Returns who changed what, newest first: one event for each successful operation that writes, and one ' +
      'for each sign-in, also if it failed. A filter by user, project, operation or outcome searches 90 days ' +
      `unless you give \`from\` or \`object_id\`, and one answer searches ${EVENTS_PER_SEARCH.toLocaleString('en')} ` +
      'events. A page can therefore be empty although `next_page_token` is set: go on with it to search further ' +
      'back. Only for admins of the organization.',
    access: 'resource',
    params: idParams('organization_id'),
    query: filter.extend(pageQuery.shape),
    response: {
      status: 200,
      json: buildPageSchema(eventBody)
        .extend({
          searched_from: timestamp
            .nullable()
            .describe('Earliest time that was searched. Null if it is the beginning of the log.'),
        })
        .meta({ id: 'AuditEventPage' }),
    },
    async handle({ ctx, params, query }) {
      const { items, next_page_token, searchedFrom } = await getAuditPage(ctx, params.organization_id, query);
      const searched_from = searchedFrom?.toISOString() ?? null;
      return { items: items.map(present), next_page_token, searched_from };
    },
  }),
  operation({
    method: 'get',
    path: `${PATH}/export`,
    id: 'exportAuditEvents',
    needs: 'admin',
    tag,
    summary: 'Export the audit log',
    description:
      'Streams the events as JSON Lines, newest first. Without filters, these are all events. Filters search as far ' +
      'back as those of the list. Only for admins of the organization.',
    access: 'resource',
    params: idParams('organization_id'),
    query: filter,
    response: {
      status: 200,
      description: 'One event a line',
      content: { 'application/x-ndjson': z.string() },
    },
    async handle({ ctx, params, query }) {
      const events = await exportAudit(ctx, params.organization_id, query);
      return streamResponse(ctx, formatLines(events), {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="audit-log.ndjson"',
        'cache-control': 'no-store',
      });
    },
  }),
];

const encoder = new TextEncoder();

async function* formatLines(events: AsyncIterable<AuditEvent[]>): AsyncGenerator<Uint8Array> {
  for await (const rows of events) {
    if (rows.length > 0)
      yield encoder.encode(rows.map((row) => `${JSON.stringify(present(row))}\n`).join(''));
  }
}
