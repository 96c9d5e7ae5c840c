import { and, desc, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { DEFAULT_PAGE_SIZE, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { type WebhookConfig, webhookConfigs } from '#src/db/schema/index.ts';
import { untilWritten } from '#src/db/until-written.ts';
import { BadRequest, Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { refusePrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { keepMasked, maskSecrets } from '#src/services/secrets/secret-fields.ts';
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
  refusePrivateAddresses(ctx, webhookConfiguration, input, ['body']);
  const id = newId('whk');
  const kept = keepMasked(webhookConfiguration, input, {});
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

/** Rejects an empty list of events, because such a webhook would never fire. Null means all events. */
function requireEvents({ webhook_events: events }: WebhookConfiguration): void {
  if (events?.length === 0) {
    throw Invalid.field(['webhook_events'], 'List should have at least 1 item; null means all', 'too_short');
  }
}

/** Newest first. */
export async function pageOfWebhookConfigs(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<WebhookConfig>> {
  const key = readPageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await ctx.db.query.webhookConfigs.findMany({
    where: and(
      eq(webhookConfigs.projectId, ctx.projectId),
      following([webhookConfigs.createdAt, webhookConfigs.id], key, 'desc'),
    ),
    orderBy: [desc(webhookConfigs.createdAt), desc(webhookConfigs.id)],
    limit: pageSize + 1,
  });
  return pageOf(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]);
}

/** Returns a configuration. Its id is accepted with and without the prefix. */
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

/** Updates the given members. Masked secrets keep their value. */
export async function updateWebhookConfig(
  ctx: TenantContext,
  id: string,
  changes: Partial<WebhookConfiguration>,
): Promise<WebhookConfig> {
  refusePrivateAddresses(ctx, webhookConfiguration, changes, ['body']);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return untilWritten(async () => {
    const row = await getWebhookConfig(ctx, id);
    const stored = await openConfig(ctx, row.id, row.configuration);
    // Unsent secrets are kept below, once it is known that the address stays the same.
    const { webhook_headers: _, webhook_signing_secret: __, ...open } = stored;
    const merged = { ...open, ...given, webhook_url: changes.webhook_url ?? stored.webhook_url };
    requireEvents(merged);
    const kept = keepMasked(webhookConfiguration, merged, stored);
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

/**
 * Returns the endpoints that a job names by id, as they are now. Later changes do not affect existing jobs.
 */
export async function savedWebhooks(ctx: TenantContext, ids: string[]): Promise<WebhookConfiguration[]> {
  return Promise.all(
    [...new Set(ids)].map(async (id) => {
      const row = await getWebhookConfig(ctx, id).catch(() => undefined);
      if (!row) throw new BadRequest(`inputs_invalid: webhook configuration ${id} not found`);
      return openConfig(ctx, row.id, row.configuration);
    }),
  );
}

/**
 * Returns the configuration for clients: the signing secret is omitted, and header values and credentials in
 * the URL are masked.
 */
export function presentableConfiguration(stored: Record<string, unknown>) {
  const configuration = maskSecrets(webhookConfiguration, stored) as WebhookConfiguration;
  return {
    webhook_url: configuration.webhook_url ?? null,
    webhook_events: configuration.webhook_events ?? null,
    webhook_headers: configuration.webhook_headers ?? null,
    webhook_output_format: configuration.webhook_output_format ?? null,
    has_secret: Boolean(configuration.webhook_signing_secret),
  };
}
