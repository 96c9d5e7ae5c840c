import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { pageOf, pageQuery, pathId, timestamp } from '#src/api/schemas.ts';
import type { WebhookConfig } from '#src/db/schema/index.ts';
import {
  createWebhookConfig,
  deleteWebhookConfig,
  getWebhookConfig,
  newWebhookConfig,
  pageOfWebhookConfigs,
  presentableConfiguration,
  updateWebhookConfig,
  webhookConfigChanges,
} from '#src/services/webhooks/configs.ts';
import { sendTestEvent } from '#src/services/webhooks/deliveries.ts';
import { WEBHOOK_EVENTS } from '#src/webhook-protocol/configuration.ts';
import { deliveryBody, presentDelivery } from './webhook-deliveries.ts';

const configBody = z
  .object({
    id: z.string(),
    webhook_url: z.string().nullable(),
    webhook_events: z.array(z.enum(WEBHOOK_EVENTS)).nullish(),
    webhook_headers: z.record(z.string(), z.string()).nullish().describe('Values are masked.'),
    webhook_output_format: z.enum(['string', 'json']).nullish(),
    has_secret: z.boolean(),
    tenant_id: z.string(),
    tenant_type: z.literal('project'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'WebhookConfig' });

function presentConfig(row: WebhookConfig): z.input<typeof configBody> {
  return {
    id: row.id,
    ...presentableConfiguration(row.configuration),
    tenant_id: row.projectId,
    tenant_type: 'project',
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const params = z.object({
  webhook_config_id: pathId('whk'),
});
const tag = 'Webhooks';

export const webhookConfigOperations = [
  operation({
    method: 'post',
    path: '/api/v1/beta/webhook-configs',
    id: 'createWebhookConfig',
    tag,
    summary: 'Create a webhook endpoint',
    description:
      'Saves a URL that is called when jobs of the project change their state. `webhook_events` ' +
      'selects the events; without it, the URL gets all of them.',
    access: 'project',
    body: { json: newWebhookConfig },
    response: { status: 201, json: configBody },
    handle: async ({ ctx, body }) => presentConfig(await createWebhookConfig(ctx, body)),
  }),
  operation({
    method: 'get',
    path: '/api/v1/beta/webhook-configs',
    id: 'listWebhookConfigs',
    tag,
    summary: 'List webhook endpoints',
    description:
      'Returns one page of the webhook endpoints of the project, newest first. Header values and ' +
      'secrets are masked.',
    access: 'project',
    query: pageQuery,
    response: { status: 200, json: pageOf(configBody).meta({ id: 'WebhookConfigPage' }) },
    async handle({ ctx, query }) {
      const page = await pageOfWebhookConfigs(ctx, query);
      return { ...page, items: page.items.map(presentConfig) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/beta/webhook-configs/{webhook_config_id}',
    id: 'getWebhookConfig',
    tag,
    summary: 'Read a webhook endpoint',
    description:
      'Returns the URL, the events and the headers of the endpoint. Header values are masked, and ' +
      '`has_secret` says whether deliveries are signed.',
    access: 'resource',
    params,
    response: { status: 200, json: configBody },
    handle: async ({ ctx, params }) => presentConfig(await getWebhookConfig(ctx, params.webhook_config_id)),
  }),
  operation({
    method: 'put',
    path: '/api/v1/beta/webhook-configs/{webhook_config_id}',
    id: 'updateWebhookConfig',
    tag,
    summary: 'Update a webhook endpoint',
    description: 'Changes the members of the request; omitted members stay as they are.',
    access: 'resource',
    params,
    body: { json: webhookConfigChanges },
    response: { status: 200, json: configBody },
    handle: async ({ ctx, params, body }) =>
      presentConfig(await updateWebhookConfig(ctx, params.webhook_config_id, body)),
  }),
  operation({
    method: 'delete',
    path: '/api/v1/beta/webhook-configs/{webhook_config_id}',
    id: 'deleteWebhookConfig',
    tag,
    summary: 'Delete a webhook endpoint',
    description: 'New jobs no longer call the endpoint. Jobs that exist already still do.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteWebhookConfig(ctx, params.webhook_config_id),
  }),
  operation({
    method: 'post',
    path: '/api/v1/beta/webhook-configs/{webhook_config_id}/test',
    id: 'testWebhookConfig',
    tag,
    summary: 'Send a test event',
    description:
      'Sends a test event to the endpoint and returns the delivery. Read the delivery to see what the ' +
      'endpoint answered.',
    access: 'resource',
    params,
    response: { status: 202, json: deliveryBody },
    handle: async ({ ctx, params }) => presentDelivery(await sendTestEvent(ctx, params.webhook_config_id)),
  }),
];
