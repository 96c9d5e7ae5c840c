import { and, desc, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { type WebhookConfig, webhookConfigs } from '#src/db/schema/index.ts';
import { BadRequest, Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { rejectPrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { maskSecrets, restoreSecrets } from '#src/services/secrets/secret-fields.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import {
  type WebhookConfiguration,
  webhookConfiguration,
  webhookUrl,
} from '#src/webhook-protocol/configuration.ts';
import { openConfig, sealConfig } from './secrets.ts';

export const newWebhookConfig = webhookConfiguration.extend({ webhook_url: webhookUrl });
export const webhookConfigChanges = webhookConfiguration.extend({
  webhook_url: webhookUrl.nullish(),
});

export async function createWebhookConfig(
  ctx: TenantContext,
  input: WebhookConfiguration,
): Promise<WebhookConfig> {
  requireEvents(input);
  rejectPrivateAddresses(ctx, webhookConfiguration, input, ['body']);
  const id = newId('whk');
  const kept = restoreSecrets(webhookConfiguration, input, {});
  const now = new Date();
  const [row] = await ctx.db
    .insert(webhookConfigs)
    .values({
      id,
      projectId: ctx.projectId,
      configuration: await sealConfig(ctx, id, kept),
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  return row!;
}

/**
 * Throws Invalid if the list of events is empty, because the webhook would never be called. Null means all
 * events.
 */
function requireEvents({ webhook_events: events }: WebhookConfiguration): void {
  if (events?.length === 0) {
    throw Invalid.field(['webhook_events'], 'List should have at least 1 item; null means all', 'too_short');
  }
}

export async function getWebhookConfigPage(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<WebhookConfig>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await ctx.db.query.webhookConfigs.findMany({
    where: and(
      eq(webhookConfigs.projectId, ctx.projectId),
      afterKey([webhookConfigs.createdAt, webhookConfigs.id], key, 'desc'),
    ),
    orderBy: [desc(webhookConfigs.createdAt), desc(webhookConfigs.id)],
    limit: pageSize + 1,
  });
  return buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]);
}

/** Returns a webhook configuration by its id, with or without the prefix `whk-`. */
export async function getWebhookConfig(ctx: TenantContext, id: string): Promise<WebhookConfig> {
  const row = await ctx.db.query.webhookConfigs.findFirst({
    where: and(
      eq(webhookConfigs.id, id.startsWith('whk-') ? id : `whk-${id}`),
      withinScope(ctx, webhookConfigs.projectId),
    ),
  });
  if (!row) throw new NotFound('Webhook configuration', id);
  return row;
}

/** Updates the given fields. Secrets that are sent masked keep their values. */
export async function updateWebhookConfig(
  ctx: TenantContext,
  id: string,
  changes: Partial<WebhookConfiguration>,
): Promise<WebhookConfig> {
  rejectPrivateAddresses(ctx, webhookConfiguration, changes, ['body']);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return retryUntilWritten(async () => {
    const row = await getWebhookConfig(ctx, id);
    const stored = await openConfig(ctx, row.id, row.configuration);
    // The stored secrets are removed here. `restoreSecrets` puts them back only if the URL stays the same.
    const { webhook_headers: _, webhook_signing_secret: __, ...open } = stored;
    const merged = { ...open, ...given, webhook_url: changes.webhook_url ?? stored.webhook_url };
    requireEvents(merged);
    const kept = restoreSecrets(webhookConfiguration, merged, stored);
    const [updated] = await ctx.db
      .update(webhookConfigs)
      .set({ configuration: await sealConfig(ctx, row.id, kept) })
      .where(and(eq(webhookConfigs.id, row.id), eq(webhookConfigs.configuration, row.configuration)))
      .returning();
    return updated;
  });
}

export async function deleteWebhookConfig(ctx: TenantContext, id: string): Promise<void> {
  const row = await getWebhookConfig(ctx, id);
  await ctx.db.delete(webhookConfigs).where(eq(webhookConfigs.id, row.id));
}

/** Returns the saved endpoints that a job names by id. Later changes do not affect the job. */
export async function getSavedWebhooks(ctx: TenantContext, ids: string[]): Promise<WebhookConfiguration[]> {
  return Promise.all(
    [...new Set(ids)].map(async (id) => {
      const row = await getWebhookConfig(ctx, id).catch(() => undefined);
      if (!row) throw new BadRequest(`inputs_invalid: webhook configuration ${id} not found`);
      return openConfig(ctx, row.id, row.configuration);
    }),
  );
}

/**
 * Returns the configuration for API responses. The signing secret is omitted. Header values and credentials
 * in the URL are masked.
 */
export function toWebhookView(stored: Record<string, unknown>) {
  const configuration = maskSecrets(webhookConfiguration, stored) as WebhookConfiguration;
  return {
    webhook_url: configuration.webhook_url ?? null,
    webhook_events: configuration.webhook_events ?? null,
    webhook_headers: configuration.webhook_headers ?? null,
    webhook_output_format: configuration.webhook_output_format ?? null,
    has_secret: Boolean(configuration.webhook_signing_secret),
  };
}
