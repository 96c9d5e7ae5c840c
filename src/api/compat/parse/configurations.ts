import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { pathId } from '#src/api/operation/schemas.ts';
import {
  configurationBody,
  configurationListQuery,
  presentConfiguration,
} from '#src/api/v1/configurations.ts';
import type { Configuration } from '#src/db/schema/index.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import {
  configurationChanges,
  getConfiguration,
  getConfigurationPage,
  newConfiguration,
  PARAMETERS_BY_PRODUCT,
  saveConfiguration,
  updateConfiguration,
} from '#src/services/jobs/configurations.ts';
import { parseOptions, refuseContradictions, toOptions, toParameters } from './parameters.ts';

const { parse_v2: _, ...others } = PARAMETERS_BY_PRODUCT;

/**
 * Saved parse configuration with the options of LlamaCloud's clients. Parameters without a corresponding
 * option keep their own names.
 */
const clientParsing = z
  .object({ product_type: z.literal('parse_v2'), ...parseParameters.shape, ...parseOptions })
  .superRefine(refuseContradictions);

const clientParameters = z.discriminatedUnion('product_type', [
  others.extract_v2,
  others.classify_v2,
  clientParsing,
  others.split_v1,
  others.spreadsheet_v1,
  others.unknown,
]);
type ClientParameters = z.infer<typeof clientParameters>;
type Parameters = z.infer<typeof newConfiguration>['parameters'];

function toStored(parameters: ClientParameters): Parameters {
  if (parameters.product_type !== 'parse_v2') return parameters as Parameters;
  const own = Object.entries(parameters).filter(([name]) => Object.hasOwn(parseParameters.shape, name));
  return { ...Object.fromEntries(own), ...toParameters(parameters), product_type: 'parse_v2' };
}

function presentForClient(row: Configuration): z.input<typeof configurationBody> {
  const shown = presentConfiguration(row);
  if (shown.product_type !== 'parse_v2') return shown;
  const { product_type, ...parameters } = shown.parameters;
  return { ...shown, parameters: { product_type, ...REQUIRED, ...toOptions(parameters) } };
}

/**
 * Fields that clients require in every parse configuration, with the defaults that fill in missing fields.
 */
const REQUIRED = { tier: 'cost_effective', version: 'latest' };

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
  present: presentForClient,
});

export const clientConfigurationOperations = [
  configurations.create({
    id: 'clientSaveConfiguration',
    needs: 'write',
    summary: 'Save a configuration',
    description:
      'Saves the parameters of a product under a name. What was saved before under the same product ' +
      'and name stays as an older version.',
    body: newConfiguration.extend({ parameters: clientParameters }),
    status: 201,
    errors: [400],
    run: ({ ctx, body }) => saveConfiguration(ctx, { ...body, parameters: toStored(body.parameters) }),
  }),
  configurations.page({
    id: 'clientListConfigurations',
    needs: 'read',
    description: 'Returns one page of the saved configurations of the project, newest first.',
    query: configurationListQuery,
    run: ({ ctx, query }) => getConfigurationPage(ctx, query),
  }),
  configurations.get({
    id: 'clientGetConfiguration',
    needs: 'read',
    description: 'Returns the parameters of the configuration and its version.',
    run: ({ ctx, params }) => getConfiguration(ctx, params.configuration_id),
  }),
  configurations.update({
    id: 'clientUpdateConfiguration',
    needs: 'write',
    description:
      'Changes the name or the parameters. Jobs that exist already keep the parameters that they were ' +
      'started with.',
    body: configurationChanges.extend({ parameters: clientParameters.nullish() }),
    errors: [400],
    run({ ctx, params, body: { name, parameters } }) {
      const changes = { name, parameters: parameters && toStored(parameters) };
      return updateConfiguration(ctx, params.configuration_id, changes);
    },
  }),
];
