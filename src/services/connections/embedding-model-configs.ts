import { and, desc, eq, exists, notExists } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { type EmbeddingModelConfig, embeddingModelConfigs, pipelines } from '#src/db/schema/index.ts';
import { upsertByName } from '#src/db/upsert.ts';
import { NotFound } from '#src/lib/errors.ts';
import { derivedId, newId } from '#src/lib/ids.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { embeddingComponents, findEmbeddingType, MANAGED_TYPE } from '#src/models/embedding/registry.ts';
import type { EmbeddingConfig } from '#src/ports/embedder.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { MASK } from '#src/services/secrets/secret-fields.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { componentStore, rejectKindChange } from './components.ts';
import { createInUseError } from './in-use.ts';

export type EmbeddingConfigInput = z.infer<typeof embeddingConfig>;

const name = z.string().min(1).max(3000);
export const newEmbeddingModelConfig = z.object({ name, embedding_config: embeddingConfig });
export type NewEmbeddingModelConfig = z.infer<typeof newEmbeddingModelConfig>;
export const embeddingModelConfigChanges = z.object({
  name: name.nullish(),
  embedding_config: embeddingConfig.nullish(),
});

const LOC = ['body', 'embedding_config', 'component'];

const createStore = (ctx: Context) => componentStore(ctx, embeddingComponents, { freeForm: false });

/**
 * Validates an embedding configuration and encrypts its secrets, bound to `place`. Masked secrets keep their
 * values from `stored`.
 */
export async function sealEmbedding(
  ctx: Context,
  input: EmbeddingConfigInput,
  place: string,
  stored?: EmbeddingConfig,
): Promise<EmbeddingConfig> {
  const named = input.type ?? (input.component ? findEmbeddingType(input.component) : undefined);
  const type = named ?? stored?.type ?? MANAGED_TYPE;
  if (!input.component && stored) {
    if (stored.type !== type) rejectKindChange(stored.type, type, LOC);
    return stored;
  }
  const base = stored?.type === type ? stored.component : {};
  return { type, component: await createStore(ctx).seal(type, input.component ?? {}, base, place, LOC) };
}

/** Encrypts the secrets of a validated embedding configuration for another row. */
export async function sealEmbeddingAgain(
  ctx: Context,
  { type, component }: EmbeddingConfig,
  place: string,
): Promise<EmbeddingConfig> {
  return { type, component: await createStore(ctx).sealAgain(type, component, place) };
}

export async function openEmbedding(
  ctx: Context,
  config: EmbeddingConfig,
  place: string,
): Promise<EmbeddingConfig> {
  return { type: config.type, component: await createStore(ctx).open(config.component, place) };
}

export function maskEmbedding(ctx: Context, config: EmbeddingConfig): EmbeddingConfig {
  return { type: config.type, component: createStore(ctx).mask(config.type, config.component) };
}

/**
 * Returns a hash of the settings that affect vectors. Another API key or batch size does not change the hash,
 * so existing vectors are kept.
 */
export function hashEmbedding(ctx: Context, config: EmbeddingConfig): Promise<string> {
  const masked = Object.entries(maskEmbedding(ctx, config).component);
  const irrelevant = new Set([
    'class_name',
    'embed_batch_size',
    'num_workers',
    'max_retries',
    'timeout',
    'reuse_client',
    'client_email',
    'private_key_id',
    'profile_name',
    'token_uri',
    'transport',
  ]);
  const decisive = masked.filter(([key, value]) => !irrelevant.has(key) && value !== MASK);
  return configHash({ type: config.type, ...Object.fromEntries(decisive) });
}

export async function createEmbeddingModelConfig(
  ctx: TenantContext,
  input: NewEmbeddingModelConfig,
): Promise<EmbeddingModelConfig> {
  return (await insertConfig(ctx, newId(), input))!;
}

async function insertConfig(
  ctx: TenantContext,
  id: string,
  input: NewEmbeddingModelConfig,
): Promise<EmbeddingModelConfig | undefined> {
  const sealed = await sealEmbedding(ctx, input.embedding_config, sealedPlaces.embeddingModelConfig(id));
  const [row] = await ctx.db
    .insert(embeddingModelConfigs)
    .values({ id, projectId: ctx.projectId, name: input.name, embeddingConfig: sealed })
    .onConflictDoNothing()
    .returning();
  return row;
}

/** Creates an embedding configuration, or updates the newest one with this name. */
export function upsertEmbeddingModelConfig(
  ctx: TenantContext,
  input: NewEmbeddingModelConfig,
): Promise<EmbeddingModelConfig> {
  const { projectId } = ctx;
  return upsertByName({
    find: () =>
      ctx.db.query.embeddingModelConfigs.findFirst({
        where: and(
          eq(embeddingModelConfigs.projectId, projectId),
          eq(embeddingModelConfigs.name, input.name),
        ),
        orderBy: [desc(embeddingModelConfigs.createdAt), desc(embeddingModelConfigs.id)],
      }),
    update: ({ id }) => updateEmbeddingModelConfig(ctx, id, input),
    insert: async () =>
      insertConfig(ctx, await derivedId('embedding model config', projectId, input.name), input),
    create: () => createEmbeddingModelConfig(ctx, input),
  });
}

export function listEmbeddingModelConfigs(ctx: TenantContext): Promise<EmbeddingModelConfig[]> {
  return ctx.db.query.embeddingModelConfigs.findMany({
    where: eq(embeddingModelConfigs.projectId, ctx.projectId),
    orderBy: [desc(embeddingModelConfigs.createdAt), desc(embeddingModelConfigs.id)],
  });
}

export async function getEmbeddingModelConfig(ctx: TenantContext, id: string): Promise<EmbeddingModelConfig> {
  const row = await ctx.db.query.embeddingModelConfigs.findFirst({
    where: and(eq(embeddingModelConfigs.id, id), withinScope(ctx, embeddingModelConfigs.projectId)),
  });
  if (!row) throw new NotFound('Embedding model config', id);
  return row;
}

/**
 * Updates an embedding configuration. If the change affects vectors, pipelines that use it create new
 * embeddings.
 */
export function updateEmbeddingModelConfig(
  ctx: TenantContext,
  id: string,
  changes: z.infer<typeof embeddingModelConfigChanges>,
): Promise<EmbeddingModelConfig> {
  const place = sealedPlaces.embeddingModelConfig(id);
  return retryUntilWritten(async () => {
    const { embeddingConfig: stored } = await getEmbeddingModelConfig(ctx, id);
    const { name: given, embedding_config: input } = changes;
    const embeddingConfig = input ? await sealEmbedding(ctx, input, place, stored) : stored;
    const embeddingConfigHash = await hashEmbedding(ctx, embeddingConfig);
    const [[row]] = await ctx.db.batch([
      ctx.db
        .update(embeddingModelConfigs)
        .set({ name: given ?? undefined, embeddingConfig })
        .where(whereUnchanged(id, stored))
        .returning(),
      ctx.db
        .update(pipelines)
        .set({ embeddingConfigHash })
        .where(
          and(
            eq(pipelines.embeddingModelConfigId, id),
            exists(ctx.db.select().from(embeddingModelConfigs).where(whereUnchanged(id, embeddingConfig))),
          ),
        ),
    ]);
    return row;
  });
}

/** Returns the SQL condition that the stored embedding configuration has not changed since it was read. */
export const whereUnchanged = (id: string, config: EmbeddingConfig) =>
  and(eq(embeddingModelConfigs.id, id), eq(embeddingModelConfigs.embeddingConfig, config));

export async function deleteEmbeddingModelConfig(ctx: TenantContext, id: string): Promise<void> {
  await getEmbeddingModelConfig(ctx, id);
  const users = ctx.db
    .select({ name: pipelines.name })
    .from(pipelines)
    .where(eq(pipelines.embeddingModelConfigId, id));
  // A single statement checks for users and deletes, so that no pipeline can start to use the configuration
  // in between.
  const { meta } = await ctx.db
    .delete(embeddingModelConfigs)
    .where(and(eq(embeddingModelConfigs.id, id), notExists(users)));
  if (meta.changes === 0) throw createInUseError('embedding model config', await users);
}

export function openStoredConfig(ctx: Context, row: EmbeddingModelConfig): Promise<EmbeddingConfig> {
  return openEmbedding(ctx, row.embeddingConfig, sealedPlaces.embeddingModelConfig(row.id));
}
