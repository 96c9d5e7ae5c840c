import { and, eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Configuration, configurations } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import {
  type ClientLabels,
  getConfiguration,
  saveConfiguration,
  selectConfigurations,
  updateConfiguration,
} from '../configurations.ts';

// Parse configurations as older clients of LlamaCloud know them: with a version, a creator and a source. They
// are saved configurations of the type `parse_v2`.

export interface ClientConfigurationFilter {
  name?: string | null | undefined;
  /** Version that the client chose. Configurations that others saved have the time of saving as version. */
  version?: string | null | undefined;
  creator?: string | null | undefined;
  source_type?: string | null | undefined;
  source_id?: string | null | undefined;
  parse_config_ids?: string[] | null | undefined;
}

/** Returns a page of the parse configurations of the project, newest first. */
export async function getClientConfigurationPage(
  ctx: TenantContext,
  filter: ClientConfigurationFilter,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
  loc: string[],
): Promise<Page<Configuration> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string'], loc);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = buildConditions(ctx, filter);
  const after = afterKey([configurations.createdAt, configurations.id], key, 'desc');
  const [rows, total] = await Promise.all([
    selectConfigurations(ctx, and(where, after)).limit(pageSize + 1),
    ctx.db.$count(configurations, where),
  ]);
  return { ...buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]), total_size: total };
}

function buildConditions(ctx: TenantContext, filter: ClientConfigurationFilter) {
  const { name, clientVersion, version, creator, sourceType, sourceId, projectId, id } = configurations;
  return and(
    eq(projectId, ctx.projectId),
    eq(configurations.productType, 'parse_v2'),
    filter.name ? eq(name, filter.name) : undefined,
    filter.version ? sql`coalesce(${clientVersion}, ${version}) = ${filter.version}` : undefined,
    filter.creator ? eq(creator, filter.creator) : undefined,
    filter.source_type ? sql`coalesce(${sourceType}, 'project') = ${filter.source_type}` : undefined,
    filter.source_id ? sql`coalesce(${sourceId}, ${projectId}) = ${filter.source_id}` : undefined,
    filter.parse_config_ids
      ? isInList(
          id,
          filter.parse_config_ids.map((each) => `cfg-${bareId(each)}`),
        )
      : undefined,
  );
}

/** Returns the parse configuration that was saved last. Returns `undefined` if there is none. */
export async function findLatestClientConfiguration(
  ctx: TenantContext,
  filter: ClientConfigurationFilter,
): Promise<Configuration | undefined> {
  const [row] = await selectConfigurations(ctx, buildConditions(ctx, filter)).limit(1);
  return row;
}

/** Returns a parse configuration. Throws NotFound for configurations of other products. */
export async function getClientConfiguration(ctx: TenantContext, id: string): Promise<Configuration> {
  const row = await getConfiguration(ctx, id);
  if (row.productType !== 'parse_v2') throw new NotFound('Parse configuration', id);
  return row;
}

export const createClientConfiguration = (
  ctx: TenantContext,
  name: string,
  parameters: ParseParameters,
  labels: ClientLabels,
): Promise<Configuration> =>
  saveConfiguration(ctx, { name, parameters: { ...parameters, product_type: 'parse_v2' } }, labels);

/** Replaces the newest parse configuration with the name, or creates one. */
export async function upsertClientConfiguration(
  ctx: TenantContext,
  name: string,
  parameters: ParseParameters,
  labels: ClientLabels,
): Promise<Configuration> {
  const existing = await findLatestClientConfiguration(ctx, { name });
  if (!existing) return createClientConfiguration(ctx, name, parameters, labels);
  const changes = { parameters: { ...parameters, product_type: 'parse_v2' as const } };
  return updateConfiguration(ctx, existing.id, changes, labels);
}

/** Replaces the parameters of a parse configuration. Its version stays. */
export async function updateClientConfiguration(
  ctx: TenantContext,
  id: string,
  parameters: ParseParameters | null | undefined,
): Promise<Configuration> {
  const { id: stored } = await getClientConfiguration(ctx, id);
  const changed = parameters && { ...parameters, product_type: 'parse_v2' as const };
  return updateConfiguration(ctx, stored, { parameters: changed });
}
