import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import type { WebhookDelivery } from '#src/db/schema/index.ts';
import { toWebhookView } from '#src/services/webhooks/configs.ts';
import {
  DELIVERY_STATUSES,
  getDelivery,
  getDeliveryPage,
  replayDelivery,
} from '#src/services/webhooks/deliveries.ts';

export const deliveryBody = z
  .object({
    id: z.uuid(),
    job_id: z.string(),
    project_id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    webhook_url: z.string().nullable(),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe('State of the delivery. `dead` means that no further attempt is made.'),
    attempts: z.number().int(),
    last_status_code: z.number().int().nullish(),
    last_error: z.string().nullish(),
    next_attempt_at: timestamp.nullish(),
    created_at: timestamp,
    updated_at: timestamp,
    body: z.string().nullish().describe('Body as it is sent. Present only if a single delivery is read.'),
  })
  .meta({ id: 'WebhookDelivery' });

export function presentDelivery(row: WebhookDelivery): z.input<typeof deliveryBody> {
  return {
    id: row.id,
    job_id: row.jobId,
    project_id: row.projectId,
    event_id: row.eventId,
    event_type: row.eventType,
    webhook_url: toWebhookView(row.configuration).webhook_url,
    status: row.status,
    attempts: row.attempts,
    last_status_code: row.lastStatusCode,
    last_error: row.lastError,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const params = idParams('delivery_id');
const tag = 'Webhooks';

export const webhookDeliveryOperations = [
  operation({
    method: 'get',
    path: '/api/v1/beta/webhook-deliveries',
    id: 'listWebhookDeliveries',
    needs: 'read',
    tag,
    summary: 'List webhook deliveries',
    description:
      'Returns one page of the deliveries of the project, newest first, with their attempts and the ' +
      'last answer of the endpoint.',
    access: 'project',
    query: pageQuery.extend({
      status: z.enum(DELIVERY_STATUSES).nullish().describe('Only deliveries in this state.'),
      job_id: z.string().nullish(),
    }),
    response: { status: 200, json: buildPageSchema(deliveryBody).meta({ id: 'WebhookDeliveryPage' }) },
    async handle({ ctx, query }) {
      const page = await getDeliveryPage(ctx, query);
      return { ...page, items: page.items.map(presentDelivery) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/beta/webhook-deliveries/{delivery_id}',
    id: 'getWebhookDelivery',
    needs: 'read',
    tag,
    summary: 'Read a webhook delivery',
    description: 'Returns the delivery with the body that was sent.',
    access: 'resource',
    params,
    response: { status: 200, json: deliveryBody },
    async handle({ ctx, params }) {
      const row = await getDelivery(ctx, params.delivery_id);
      return { ...presentDelivery(row), body: row.body };
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/beta/webhook-deliveries/{delivery_id}/replay',
    id: 'replayWebhookDelivery',
    needs: 'write',
    tag,
    summary: 'Send a webhook again',
    description: 'Sends the same event with the same event id and body once more.',
    access: 'resource',
    params,
    response: { status: 202, json: deliveryBody },
    handle: async ({ ctx, params }) => presentDelivery(await replayDelivery(ctx, params.delivery_id)),
  }),
];
