import { z } from 'zod';
import { addParsingWarnings } from '#src/api/http/warnings.ts';
import { resource } from '#src/api/operation/resource.ts';
import { pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import type { Context } from '#src/context/context.ts';
import type { Configuration } from '#src/db/schema/index.ts';
import {
  configurationChanges,
  deleteConfiguration,
  getConfiguration,
  getConfigurationPage,
  maskConfiguration,
  newConfiguration,
  PRODUCT_TYPES,
  saveConfiguration,
  updateConfiguration,
} from '#src/services/jobs/configurations.ts';

const productType = z.enum(PRODUCT_TYPES);

export const configurationBody = z
  .object({
    id: z.string(),
    name: z.string(),
    product_type: productType,
    version: z.string().describe('Time at which this version was saved, in ISO 8601.'),
    parameters: z.looseObject({ product_type: productType }),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'Configuration' });

export function presentConfiguration(row: Configuration): z.input<typeof configurationBody> {
  const { id, name, version, parameters, createdAt, updatedAt } = maskConfiguration(row);
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
  product_type: z.array(productType).nullish().describe('Only configurations of these products.'),
  name: z.string().nullish().describe('Exact match.'),
  latest_only: z.boolean().nullish().describe('Leaves out older versions.'),
});

/**
 * Converts a saved configuration to a response, with warnings about parameters that the client sent without
 * effect.
 */
function presentSaved(ctx: Context, row: Configuration, sent: object | null | undefined) {
  const parsing = row.productType === 'parse_v2' ? sent : undefined;
  return addParsingWarnings(presentConfiguration(row), ctx, row.projectId, 'parameters', parsing);
}

const configurations = resource({
  tag: 'Configurations',
  collection: { name: 'saved configurations', path: '/api/v1/beta/configurations', access: 'project' },
  item: {
    name: 'a saved configuration',
    path: '/api/v1/beta/configurations/{configuration_id}',
    params: z.object({ configuration_id: pathId('cfg') }),
    access: 'project',
  },
  body: configurationBody,
  present: presentConfiguration,
});

export const configurationOperations = [
  configurations.create({
    id: 'saveConfiguration',
    needs: 'write',
    summary: 'Save a configuration',
    description:
      'Saves the parameters of a product under a name, so that jobs can name them by id. What was ' +
      'saved before under the same product and name stays as an older version with its own id.',
    body: newConfiguration,
    status: 201,
    errors: [400],
    run: ({ ctx, body }) => saveConfiguration(ctx, body),
    present: (row, { ctx, body }) => presentSaved(ctx, row, body.parameters),
  }),
  configurations.page({
    id: 'listConfigurations',
    needs: 'read',
    description: 'Returns one page of the saved configurations of the project, newest first.',
    query: configurationListQuery,
    run: ({ ctx, query }) => getConfigurationPage(ctx, query),
  }),
  configurations.get({
    id: 'getConfiguration',
    needs: 'read',
    description: 'Returns the parameters of the configuration and its version.',
    run: ({ ctx, params }) => getConfiguration(ctx, params.configuration_id),
  }),
  configurations.update({
    id: 'updateConfiguration',
    needs: 'write',
    description:
      'Changes the name or the parameters. Jobs that exist already keep the parameters that they were ' +
      'started with.',
    body: configurationChanges,
    errors: [400],
    run: ({ ctx, params, body }) => updateConfiguration(ctx, params.configuration_id, body),
    present: (row, { ctx, body }) => presentSaved(ctx, row, body.parameters),
  }),
  configurations.delete({
    id: 'deleteConfiguration',
    needs: 'write',
    description: 'Deletes the configuration. Jobs that were started with it stay.',
    run: ({ ctx, params }) => deleteConfiguration(ctx, params.configuration_id),
  }),
];
