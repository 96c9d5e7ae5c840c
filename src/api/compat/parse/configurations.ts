import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { pageOf, pathId } from '#src/api/schemas.ts';
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
  newConfiguration,
  PARAMETERS_BY_PRODUCT,
  pageOfConfigurations,
  saveConfiguration,
  updateConfiguration,
} from '#src/services/jobs/configurations.ts';
import { optionsOf, parametersOf, parseOptions, refuseContradictions } from './parameters.ts';

const { parse_v2: _, ...others } = PARAMETERS_BY_PRODUCT;

/** Options as clients group them; parameters that no option stands for have their own names. */
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

function asKept(parameters: ClientParameters): Parameters {
  if (parameters.product_type !== 'parse_v2') return parameters as Parameters;
  const own = Object.entries(parameters).filter(([name]) => Object.hasOwn(parseParameters.shape, name));
  return { ...Object.fromEntries(own), ...parametersOf(parameters), product_type: 'parse_v2' };
}

function presentForClient(row: Configuration): z.input<typeof configurationBody> {
  const shown = presentConfiguration(row);
  if (shown.product_type !== 'parse_v2') return shown;
  const { product_type, ...parameters } = shown.parameters;
  return { ...shown, parameters: { product_type, ...REQUIRED, ...optionsOf(parameters) } };
}

/** Clients read these of every configuration; of one that names none, the nearest. */
const REQUIRED = { tier: 'cost_effective', version: 'latest' };

const path = '/api/v1/beta/configurations';
const one = `${path}/{configuration_id}` as const;
const params = z.object({ configuration_id: pathId('cfg') });
const tag = 'Configurations';

export const clientConfigurationOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientSaveConfiguration',
    tag,
    summary: 'Save a configuration',
    description:
      'Saves the parameters of a product under a name. What was saved before under the same product ' +
      'and name stays as an older version.',
    access: 'project',
    body: { json: newConfiguration.extend({ parameters: clientParameters }) },
    response: { status: 201, json: configurationBody },
    errors: [400],
    handle: async ({ ctx, body }) =>
      presentForClient(await saveConfiguration(ctx, { ...body, parameters: asKept(body.parameters) })),
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListConfigurations',
    tag,
    summary: 'List saved configurations',
    description: 'Returns one page of the saved configurations of the project, newest first.',
    access: 'project',
    query: configurationListQuery,
    response: { status: 200, json: pageOf(configurationBody) },
    async handle({ ctx, query }) {
      const page = await pageOfConfigurations(ctx, query);
      return { ...page, items: page.items.map(presentForClient) };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'clientGetConfiguration',
    tag,
    summary: 'Read a saved configuration',
    description: 'Returns the parameters of the configuration and its version.',
    access: 'project',
    params,
    response: { status: 200, json: configurationBody },
    handle: async ({ ctx, params }) => presentForClient(await getConfiguration(ctx, params.configuration_id)),
  }),
  operation({
    method: 'put',
    path: one,
    id: 'clientUpdateConfiguration',
    tag,
    summary: 'Update a saved configuration',
    description:
      'Changes the name or the parameters. Jobs that exist already keep the parameters that they were ' +
      'started with.',
    access: 'project',
    params,
    body: { json: configurationChanges.extend({ parameters: clientParameters.nullish() }) },
    response: { status: 200, json: configurationBody },
    errors: [400],
    async handle({ ctx, params, body }) {
      const parameters = body.parameters && asKept(body.parameters);
      return presentForClient(
        await updateConfiguration(ctx, params.configuration_id, { name: body.name, parameters }),
      );
    },
  }),
];
