import type { z } from 'zod';
import type { Context } from '#src/context.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';
import {
  type WebhookConfiguration,
  webhookConfiguration,
  webhookConfigurations,
} from '#src/webhooks/configuration.ts';

type Stored = Record<string, unknown>;

export const ring = (ctx: Context) =>
  keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

const seal = (ctx: Context, schema: z.ZodType, value: unknown, place: string) =>
  sealSecrets(schema, value, ring(ctx), place) as Promise<unknown>;

/** The endpoints of a job: sealed for its row, and open again. */
export async function sealJobWebhooks(ctx: Context, jobId: string, value: WebhookConfiguration[]) {
  if (value.length === 0) return null;
  return (await seal(ctx, webhookConfigurations, value, sealedPlaces.jobWebhooks(jobId))) as Stored[];
}

export async function openJobWebhooks(
  ctx: Context,
  jobId: string,
  stored: Stored[] | null,
): Promise<WebhookConfiguration[]> {
  if (!stored) return [];
  return (await openSecrets(stored, ring(ctx), sealedPlaces.jobWebhooks(jobId))) as WebhookConfiguration[];
}

/** The endpoint of one delivery. */
export async function sealDelivery(ctx: Context, id: string, value: WebhookConfiguration): Promise<Stored> {
  return (await seal(ctx, webhookConfiguration, value, sealedPlaces.webhookDelivery(id))) as Stored;
}

export async function openDelivery(ctx: Context, id: string, stored: Stored): Promise<WebhookConfiguration> {
  return (await openSecrets(stored, ring(ctx), sealedPlaces.webhookDelivery(id))) as WebhookConfiguration;
}

/** An endpoint saved for the project. */
export async function sealConfig(ctx: Context, id: string, value: WebhookConfiguration): Promise<Stored> {
  return (await seal(ctx, webhookConfiguration, value, sealedPlaces.webhookConfig(id))) as Stored;
}

export async function openConfig(ctx: Context, id: string, stored: Stored): Promise<WebhookConfiguration> {
  return (await openSecrets(stored, ring(ctx), sealedPlaces.webhookConfig(id))) as WebhookConfiguration;
}
