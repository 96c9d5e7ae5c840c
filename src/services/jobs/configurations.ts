import { and, desc, eq, notExists, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import { classifyConfiguration } from '#src/classification/configuration.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import {
  afterKey,
  buildPage,
  DEFAULT_PAGE_SIZE,
  iteratePages,
  type Page,
  parsePageToken,
} from '#src/db/paging.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { type Configuration, configurations } from '#src/db/schema/index.ts';
import { extractConfiguration } from '#src/extraction/configuration.ts';
import { BadRequest, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { rejectPrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import {
  maskSecrets,
  openSecrets,
  restoreSecrets,
  sealSecrets,
} from '#src/services/secrets/secret-fields.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';

export const PRODUCT_TYPES = [
  'split_v1',
  'extract_v2',
  'classify_v2',
  'parse_v2',
  'spreadsheet_v1',
  'unknown',
] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

const productTypeShape = <Type extends ProductType>(type: Type) => ({ product_type: z.literal(type) });

/**
 * Schemas of the parameters by product. Parameters of split and sheets jobs are stored unchanged, and
 * checked when a job uses them.
 */
export const PARAMETERS_BY_PRODUCT = {
  extract_v2: extractConfiguration.extend(productTypeShape('extract_v2')),
  classify_v2: classifyConfiguration.extend(productTypeShape('classify_v2')),
  parse_v2: parseParameters.extend(productTypeShape('parse_v2')),
  split_v1: z.looseObject(productTypeShape('split_v1')),
  spreadsheet_v1: z.looseObject(productTypeShape('spreadsheet_v1')),
  unknown: z.looseObject(productTypeShape('unknown')),
} satisfies Record<ProductType, z.ZodObject>;

export const configurationParameters = z.discriminatedUnion('product_type', [
  PARAMETERS_BY_PRODUCT.extract_v2,
  PARAMETERS_BY_PRODUCT.classify_v2,
  PARAMETERS_BY_PRODUCT.parse_v2,
  PARAMETERS_BY_PRODUCT.split_v1,
  PARAMETERS_BY_PRODUCT.spreadsheet_v1,
  PARAMETERS_BY_PRODUCT.unknown,
]);
type Parameters = z.infer<typeof configurationParameters>;

const name = z.string().min(1).max(255);

export const newConfiguration = z.object({ name, parameters: configurationParameters });
export const configurationChanges = z.object({
  name: name.nullish(),
  parameters: configurationParameters.nullish(),
});

const getSealedPlace = sealedPlaces.savedConfiguration;
const ring = (ctx: Context) =>
  parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
const getParametersSchema = (productType: string) =>
  PARAMETERS_BY_PRODUCT[productType as ProductType] ?? PARAMETERS_BY_PRODUCT.unknown;

export function maskConfiguration(row: Configuration): Configuration {
  return { ...row, parameters: maskSecrets(getParametersSchema(row.productType), row.parameters) };
}

/** Returns the parameters of a saved configuration with decrypted secrets, for use in a job. */
export function openConfiguration(ctx: Context, row: Configuration): Promise<Record<string, unknown>> {
  return openSecrets(row.parameters, ring(ctx), getSealedPlace(row.id));
}

/** Labels that an older client of LlamaCloud gives to a parse configuration. */
export type ClientLabels = Partial<
  Pick<Configuration, 'clientVersion' | 'creator' | 'sourceType' | 'sourceId'>
>;

/**
 * Saves a configuration under a name. An existing configuration with this name is kept as an older version
 * with its own id.
 */
export async function saveConfiguration(
  ctx: TenantContext,
  input: z.infer<typeof newConfiguration>,
  labels: ClientLabels = {},
): Promise<Configuration> {
  const id = newId('cfg');
  const productType = input.parameters.product_type;
  const previous = await ctx.db.query.configurations.findFirst({
    where: and(
      eq(configurations.projectId, ctx.projectId),
      eq(configurations.productType, productType),
      eq(configurations.name, input.name),
    ),
    orderBy: desc(configurations.version),
  });
  const [row] = await ctx.db
    .insert(configurations)
    .values({
      id,
      projectId: ctx.projectId,
      productType,
      name: input.name,
      version: createVersionAfter(previous),
      parameters: await seal(ctx, id, input.parameters, previous),
      ...labels,
    })
    .returning();
  return row!;
}

/**
 * Returns the version of a new configuration, which is the current time. It is always later than the previous
 * version.
 */
function createVersionAfter(previous: Configuration | undefined): string {
  const last = previous ? Date.parse(previous.version) : 0;
  return new Date(Math.max(Date.now(), last + 1)).toISOString();
}

async function seal(
  ctx: Context,
  id: string,
  parameters: Parameters,
  stored: Configuration | undefined,
): Promise<Record<string, unknown>> {
  const shape = getParametersSchema(parameters.product_type);
  rejectPrivateAddresses(ctx, shape, parameters, ['body', 'parameters']);
  const before = stored?.productType === parameters.product_type ? await openConfiguration(ctx, stored) : {};
  const kept = restoreSecrets<Record<string, unknown>>(shape, parameters, before, ['body', 'parameters']);
  return sealSecrets(shape, kept, ring(ctx), getSealedPlace(id));
}

export interface ConfigurationFilter {
  product_type?: ProductType[] | null | undefined;
  name?: string | null | undefined;
  latest_only?: boolean | null | undefined;
}

export async function getConfigurationPage(
  ctx: TenantContext,
  query: ConfigurationFilter & {
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<Page<Configuration> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = buildConfigurationConditions(ctx, ctx.projectId, query);
  const after = afterKey([configurations.createdAt, configurations.id], key, 'desc');
  const [rows, total] = await Promise.all([
    selectConfigurations(ctx, and(where, after)).limit(pageSize + 1),
    ctx.db.$count(configurations, where),
  ]);
  return { ...buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]), total_size: total };
}

export const selectConfigurations = (ctx: Context, where: ReturnType<typeof and>) =>
  ctx.db
    .select()
    .from(configurations)
    .where(where)
    .orderBy(desc(configurations.createdAt), desc(configurations.id))
    .$dynamic();

export function buildConfigurationConditions(ctx: Context, projectId: string, filter: ConfigurationFilter) {
  const newer = alias(configurations, 'newer');
  const isNewer = and(
    eq(newer.projectId, configurations.projectId),
    eq(newer.productType, configurations.productType),
    eq(newer.name, configurations.name),
    sql`${newer.version} > ${configurations.version}`,
  );
  const types = [...new Set(filter.product_type)];
  return and(
    eq(configurations.projectId, projectId),
    // Duplicate product types are removed, because a statement takes at most one hundred parameters.
    types.length > 0 ? or(...types.map((type) => eq(configurations.productType, type))) : undefined,
    filter.name ? eq(configurations.name, filter.name) : undefined,
    filter.latest_only ? notExists(ctx.db.select({ id: newer.id }).from(newer).where(isNewer)) : undefined,
  );
}

/** Returns a configuration by its id, with or without the prefix `cfg-`. */
export async function getConfiguration(ctx: TenantContext, id: string): Promise<Configuration> {
  const row = await ctx.db.query.configurations.findFirst({
    where: and(
      eq(configurations.id, id.startsWith('cfg-') ? id : `cfg-${id}`),
      withinScope(ctx, configurations.projectId),
    ),
  });
  if (!row) throw new NotFound('Configuration', id);
  return row;
}

/** Updates a configuration in place. Existing jobs keep the parameters with which they were created. */
export async function updateConfiguration(
  ctx: TenantContext,
  id: string,
  changes: z.infer<typeof configurationChanges>,
  labels: ClientLabels = {},
): Promise<Configuration> {
  return retryUntilWritten(async () => {
    const stored = await getConfiguration(ctx, id);
    const { parameters } = changes;
    if (parameters && parameters.product_type !== stored.productType) {
      throw new BadRequest(
        `The configuration is of product type ${stored.productType}, which cannot be changed.`,
      );
    }
    const [row] = await ctx.db
      .update(configurations)
      .set({
        name: changes.name ?? undefined,
        updatedAt: new Date(),
        ...labels,
        ...(parameters && {
          parameters: await seal(ctx, stored.id, parameters, stored),
          version: createVersionAfter(stored),
        }),
      })
      .where(and(eq(configurations.id, stored.id), eq(configurations.version, stored.version)))
      .returning();
    return row;
  });
}

export async function deleteConfiguration(ctx: TenantContext, id: string): Promise<void> {
  const { id: stored } = await getConfiguration(ctx, id);
  await ctx.db.delete(configurations).where(eq(configurations.id, stored));
}

/** Yields all configurations of the project that match the filter, newest first, one page at a time. */
export function listConfigurations(
  ctx: TenantContext,
  filter: ConfigurationFilter,
): AsyncGenerator<Configuration[]> {
  const where = buildConfigurationConditions(ctx, ctx.projectId, filter);
  const key = [configurations.createdAt, configurations.id] as const;
  return iteratePages(
    (after, limit) => selectConfigurations(ctx, and(where, afterKey(key, after, 'desc'))).limit(limit),
    (row) => [row.createdAt.getTime(), row.id],
  );
}
