import type { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';
import {
  type Endpoint,
  webhookConfiguration,
  webhookConfigurations,
} from '#src/webhook-protocol/configuration.ts';

type Stored = Record<string, unknown>;

export const ring = (ctx: Context) =>
  keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

const seal = (ctx: Context, schema: z.ZodType, value: unknown, place: string) =>
  sealSecrets(schema, value, ring(ctx), place) as Promise<unknown>;

/**
 * Marks endpoints that clients of the original created, so that deliveries carry the original's user agent
 * and signature header.
 */
const marked = (ctx: Context, endpoint: Endpoint): Endpoint =>
  ctx.asOriginal ? { ...endpoint, as_original: true } : endpoint;

/** Encrypts the endpoints of a job, bound to its row. Returns null if there are none. */
export async function sealJobWebhooks(ctx: Context, jobId: string, value: Endpoint[]) {
  if (value.length === 0) return null;
  const endpoints = value.map((endpoint) => marked(ctx, endpoint));
  return (await seal(ctx, webhookConfigurations, endpoints, sealedPlaces.jobWebhooks(jobId))) as Stored[];
}

export async function openJobWebhooks(
  ctx: Context,
  jobId: string,
  stored: Stored[] | null,
): Promise<Endpoint[]> {
  if (!stored) return [];
  return (await openSecrets(stored, ring(ctx), sealedPlaces.jobWebhooks(jobId))) as Endpoint[];
}

/** Encrypts the endpoint of one delivery. */
export async function sealDelivery(ctx: Context, id: string, value: Endpoint): Promise<Stored> {
  const place = sealedPlaces.webhookDelivery(id);
  return (await seal(ctx, webhookConfiguration, marked(ctx, value), place)) as Stored;
}

export async function openDelivery(ctx: Context, id: string, stored: Stored): Promise<Endpoint> {
  return (await openSecrets(stored, ring(ctx), sealedPlaces.webhookDelivery(id))) as Endpoint;
}

/** Encrypts a saved endpoint of the project. */
export async function sealConfig(ctx: Context, id: string, value: Endpoint): Promise<Stored> {
  const place = sealedPlaces.webhookConfig(id);
  return (await seal(ctx, webhookConfiguration, marked(ctx, value), place)) as Stored;
}

export async function openConfig(ctx: Context, id: string, stored: Stored): Promise<Endpoint> {
  return (await openSecrets(stored, ring(ctx), sealedPlaces.webhookConfig(id))) as Endpoint;
}
