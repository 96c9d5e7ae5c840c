import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { pageOf, pageQuery, pathId, timestamp } from '#src/api/schemas.ts';
import { warningOfParsing } from '#src/api/warnings.ts';
import type { Context } from '#src/context/context.ts';
import type { Configuration } from '#src/db/schema/index.ts';
import {
  configurationChanges,
  deleteConfiguration,
  getConfiguration,
  maskedConfiguration,
  newConfiguration,
  PRODUCT_TYPES,
  pageOfConfigurations,
  saveConfiguration,
  updateConfiguration,
} from '#src/services/jobs/configurations.ts';

const productType = z.enum(PRODUCT_TYPES);

export const configurationBody = z
  .object({
    id: z.string(),
    name: z.string(),
    product_type: productType,
    version: z.string().describe('When this version was saved, ISO 8601.'),
    parameters: z.looseObject({ product_type: productType }),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'Configuration' });

export function presentConfiguration(row: Configuration): z.input<typeof configurationBody> {
  const { id, name, version, parameters, createdAt, updatedAt } = maskedConfiguration(row);
  const type = row.productType as z.input<typeof productType>;
  return {
    id,
    name,
    product_type: type,
    version,
    parameters: { ...parameters, product_type: type },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export const configurationListQuery = pageQuery.extend({
  product_type: z.array(productType).nullish().describe('Configurations of one of these.'),
  name: z.string().nullish().describe('Exactly.'),
  latest_only: z.boolean().nullish().describe('Leaves out older versions.'),
});

/** As an answer to the parameters that were sent. */
function presentSaved(ctx: Context, row: Configuration, sent: object | null | undefined) {
  const parsing = row.productType === 'parse_v2' ? sent : undefined;
  return warningOfParsing(presentConfiguration(row), ctx, row.projectId, 'parameters', parsing);
}

const params = z.object({
  configuration_id: pathId('cfg'),
});
const path = '/api/v1/beta/configurations';
const one = `${path}/{configuration_id}`;
const tag = 'Configurations';

export const configurationOperations = [
  operation({
    method: 'post',
    path,
    id: 'saveConfiguration',
    tag,
    summary: 'Save a configuration',
    description:
      'Saves the parameters of a product under a name, so that jobs can name them by id. What was ' +
      'saved before under the same product and name stays as an older version with its own id.',
    access: 'project',
    body: { json: newConfiguration },
    response: { status: 201, json: configurationBody },
    errors: [400],
    handle: async ({ ctx, body }) => presentSaved(ctx, await saveConfiguration(ctx, body), body.parameters),
  }),
  operation({
    method: 'get',
    path,
    id: 'listConfigurations',
    tag,
    summary: 'List saved configurations',
    description: 'Returns one page of the saved configurations of the project, newest first.',
    access: 'project',
    query: configurationListQuery,
    response: { status: 200, json: pageOf(configurationBody) },
    async handle({ ctx, query }) {
      const page = await pageOfConfigurations(ctx, query);
      return { ...page, items: page.items.map(presentConfiguration) };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'getConfiguration',
    tag,
    summary: 'Read a saved configuration',
    description: 'Returns the parameters of the configuration and its version.',
    access: 'project',
    params,
    response: { status: 200, json: configurationBody },
    handle: async ({ ctx, params }) =>
      presentConfiguration(await getConfiguration(ctx, params.configuration_id)),
  }),
  operation({
    method: 'put',
    path: one,
    id: 'updateConfiguration',
    tag,
    summary: 'Update a saved configuration',
    description:
      'Changes the name or the parameters. Jobs that exist already keep the parameters that they were ' +
      'started with.',
    access: 'project',
    params,
    body: { json: configurationChanges },
    response: { status: 200, json: configurationBody },
    errors: [400],
    handle: async ({ ctx, params, body }) =>
      presentSaved(ctx, await updateConfiguration(ctx, params.configuration_id, body), body.parameters),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'deleteConfiguration',
    tag,
    summary: 'Delete a saved configuration',
    description: 'Deletes the configuration. Jobs that were started with it stay.',
    access: 'project',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteConfiguration(ctx, params.configuration_id),
  }),
];
