import type { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';
import {
  type Endpoint,
  webhookConfiguration,
  webhookConfigurations,
} from '#src/webhook-protocol/configuration.ts';

type Stored = Record<string, unknown>;

export const getKeyRing = (ctx: Context) =>
  parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

const seal = (ctx: Context, schema: z.ZodType, value: unknown, place: string) =>
  sealSecrets(schema, value, getKeyRing(ctx), place) as Promise<unknown>;

/**
 * Marks endpoints that LlamaCloud clients created, so that deliveries use LlamaCloud's user agent and
 * signature header.
 */
const markCompatEndpoint = (ctx: Context, endpoint: Endpoint): Endpoint =>
  ctx.asOriginal ? { ...endpoint, as_original: true } : endpoint;

/**
 * Encrypts the webhook endpoints of a job, so that they can only be decrypted for this job. Returns null if
 * there are no endpoints.
 */
export async function sealJobWebhooks(ctx: Context, jobId: string, value: Endpoint[]) {
  if (value.length === 0) return null;
  const endpoints = value.map((endpoint) => markCompatEndpoint(ctx, endpoint));
  return (await seal(ctx, webhookConfigurations, endpoints, sealedPlaces.jobWebhooks(jobId))) as Stored[];
}

export async function openJobWebhooks(
  ctx: Context,
  jobId: string,
  stored: Stored[] | null,
): Promise<Endpoint[]> {
  if (!stored) return [];
  return (await openSecrets(stored, getKeyRing(ctx), sealedPlaces.jobWebhooks(jobId))) as Endpoint[];
}

export async function sealDelivery(ctx: Context, id: string, value: Endpoint): Promise<Stored> {
  const place = sealedPlaces.webhookDelivery(id);
  return (await seal(ctx, webhookConfiguration, markCompatEndpoint(ctx, value), place)) as Stored;
}

export async function openDelivery(ctx: Context, id: string, stored: Stored): Promise<Endpoint> {
  return (await openSecrets(stored, getKeyRing(ctx), sealedPlaces.webhookDelivery(id))) as Endpoint;
}

export async function sealConfig(ctx: Context, id: string, value: Endpoint): Promise<Stored> {
  const place = sealedPlaces.webhookConfig(id);
  return (await seal(ctx, webhookConfiguration, markCompatEndpoint(ctx, value), place)) as Stored;
}

export async function openConfig(ctx: Context, id: string, stored: Stored): Promise<Endpoint> {
  return (await openSecrets(stored, getKeyRing(ctx), sealedPlaces.webhookConfig(id))) as Endpoint;
}
