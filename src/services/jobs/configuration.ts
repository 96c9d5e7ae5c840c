import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { configurations } from '#src/db/schema/index.ts';
import { BadRequest, NotFound } from '#src/lib/errors.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { getConfiguration, openConfiguration, type ProductType } from './configurations.ts';

/**
 * Returns the parameters of a saved configuration. Throws NotFound if it belongs to another product or
 * tenant.
 */
export async function getSavedParameters(
  ctx: TenantContext,
  id: string,
  productType: ProductType,
  name: string,
): Promise<{ id: string; parameters: Record<string, unknown> }> {
  const row = await getConfiguration(ctx, id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  if (!row || row.productType !== productType) throw new NotFound(`${name} configuration`, id);
  const { product_type: _, ...parameters } = await openConfiguration(ctx, row);
  return { id: row.id, parameters };
}

/**
 * Returns the inline configuration or the saved one. Throws BadRequest unless the request has exactly one of
 * them.
 */
export async function chooseConfiguration<Inline extends object>(
  ctx: TenantContext,
  input: { configuration?: Inline | null | undefined; configuration_id?: string | null | undefined },
  saved: { productType: ProductType; name: string },
): Promise<{ configurationId: string | null; configuration: Inline }> {
  const { configuration, configuration_id: id } = input;
  if (Boolean(configuration) === Boolean(id)) {
    throw new BadRequest('inputs_invalid: provide either configuration or configuration_id, and not both');
  }
  if (configuration) return { configurationId: null, configuration };
  const found = await getSavedParameters(ctx, id!, saved.productType, saved.name);
  return { configurationId: found.id, configuration: found.parameters as Inline };
}

/**
 * Returns the parse parameters of the saved configuration `parse_config_id`. Returns `undefined` without an
 * id.
 */
export async function openSavedParsing(
  ctx: TenantContext,
  id: string | null | undefined,
): Promise<ParseParameters | undefined> {
  if (!id) return undefined;
  const row = await ctx.db.query.configurations.findFirst({
    where: and(
      eq(configurations.id, id.startsWith('cfg-') ? id : `cfg-${id}`),
      eq(configurations.projectId, ctx.projectId),
      eq(configurations.productType, 'parse_v2'),
    ),
  });
  if (!row) throw new BadRequest(`inputs_invalid: parse configuration ${id} not found`);
  const { product_type: _, ...parameters } = await openConfiguration(ctx, row);
  return parameters;
}
