import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import type { WebhookConfig } from '#src/db/schema/index.ts';
import {
  createWebhookConfig,
  deleteWebhookConfig,
  getWebhookConfig,
  getWebhookConfigPage,
  newWebhookConfig,
  toWebhookView,
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
    webhook_headers: z
      .record(z.string(), z.string())
      .nullish()
      .describe('Headers that are sent with each delivery. Values are masked.'),
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
    ...toWebhookView(row.configuration),
    tenant_id: row.projectId,
    tenant_type: 'project',
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const tag = 'Webhooks';
const params = z.object({ webhook_config_id: pathId('whk') });

const webhookConfigs = resource({
  tag,
  collection: { name: 'webhook endpoints', path: '/api/v1/beta/webhook-configs', access: 'project' },
  item: {
    name: 'a webhook endpoint',
    path: '/api/v1/beta/webhook-configs/{webhook_config_id}',
    params,
    access: 'resource',
  },
  body: configBody,
  present: presentConfig,
});

export const webhookConfigOperations = [
  webhookConfigs.create({
    id: 'createWebhookConfig',
    needs: 'write',
    description:
      'Saves a URL that is called when jobs of the project change their state. `webhook_events` ' +
      'selects the events; without it, the URL gets all of them.',
    body: newWebhookConfig,
    status: 201,
    run: ({ ctx, body }) => createWebhookConfig(ctx, body),
  }),
  webhookConfigs.page({
    id: 'listWebhookConfigs',
    needs: 'read',
    description:
      'Returns one page of the webhook endpoints of the project, newest first. Header values and ' +
      'secrets are masked.',
    query: pageQuery,
    pageId: 'WebhookConfigPage',
    run: ({ ctx, query }) => getWebhookConfigPage(ctx, query),
  }),
  webhookConfigs.get({
    id: 'getWebhookConfig',
    needs: 'read',
    description:
      'Returns the URL, the events and the headers of the endpoint. Header values are masked, and ' +
      '`has_secret` says whether deliveries are signed.',
    run: ({ ctx, params }) => getWebhookConfig(ctx, params.webhook_config_id),
  }),
  webhookConfigs.update({
    id: 'updateWebhookConfig',
    needs: 'write',
    description: 'Changes the members of the request. Omitted members stay unchanged.',
    body: webhookConfigChanges,
    run: ({ ctx, params, body }) => updateWebhookConfig(ctx, params.webhook_config_id, body),
  }),
  webhookConfigs.delete({
    id: 'deleteWebhookConfig',
    needs: 'write',
    description: 'New jobs no longer call the endpoint. Jobs that exist already still do.',
    run: ({ ctx, params }) => deleteWebhookConfig(ctx, params.webhook_config_id),
  }),
  operation({
    method: 'post',
    path: '/api/v1/beta/webhook-configs/{webhook_config_id}/test',
    id: 'testWebhookConfig',
    needs: 'write',
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
