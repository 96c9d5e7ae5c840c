import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { buildPageSchema, pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import type { Configuration } from '#src/db/schema/index.ts';
import { deleteConfiguration, maskConfiguration } from '#src/services/jobs/configurations.ts';
import {
  createClientConfiguration,
  findLatestClientConfiguration,
  getClientConfiguration,
  getClientConfigurationPage,
  updateClientConfiguration,
  upsertClientConfiguration,
} from '#src/services/jobs/parse/client-configurations.ts';
import { flatParameters, fromFlat, toFlat } from './flat-parameters.ts';

const label = z.string().min(1).max(255);
const parameters = flatParameters.describe('Parse parameters. Pages count from 0.');

const newConfiguration = z
  .object({
    name: label,
    parameters,
    version: label.describe(
      'Version that you choose. Configurations with the same name and version may exist.',
    ),
    creator: label.nullish(),
    source_type: label.nullish().describe('`project` by default.'),
    source_id: label.nullish().describe('Id of the project by default.'),
  })
  .meta({ id: 'ParseConfigurationCreate' });

const configurationBody = z
  .object({
    id: z.string().describe('Also an id of a saved configuration, which parse jobs accept.'),
    name: z.string(),
    version: z.string(),
    parameters,
    creator: z.string().nullable(),
    source_type: z.string(),
    source_id: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ParseConfiguration' });

function present(row: Configuration): z.input<typeof configurationBody> {
  const { product_type: _, ...stored } = maskConfiguration(row).parameters;
  return {
    id: row.id,
    name: row.name,
    version: row.clientVersion ?? row.version,
    parameters: toFlat(stored),
    creator: row.creator,
    source_type: row.sourceType ?? 'project',
    source_id: row.sourceId ?? row.projectId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const toLabels = (body: z.output<typeof newConfiguration>) => ({
  clientVersion: body.version,
  creator: body.creator ?? null,
  sourceType: body.source_type ?? null,
  sourceId: body.source_id ?? null,
});

const filters = {
  name: z.string().nullish().describe('Exact match.'),
  creator: z.string().nullish().describe('Exact match.'),
  version: z.string().nullish().describe('Exact match.'),
};

const path = '/api/v1/beta/parse-configurations';
const tag = 'Configurations';
const page = buildPageSchema(configurationBody).meta({ id: 'ParseConfigurationPage' });
const configurations = resource({
  tag,
  collection: { name: 'parse configurations', path, access: 'project' },
  item: {
    name: 'a parse configuration',
    path: `${path}/{config_id}`,
    params: z.object({ config_id: pathId('cfg') }),
    access: 'resource',
  },
  body: configurationBody,
  present,
});

/** Saved parse configurations as release 1.6 and older releases of the clients know them. */
export const parseConfigurationOperations = [
  configurations.create({
    id: 'createParseConfiguration',
    description: 'Saves parse parameters under a name and a version.',
    body: newConfiguration,
    status: 201,
    errors: [400],
    run: ({ ctx, body }) =>
      createClientConfiguration(ctx, body.name, fromFlat(body.parameters), toLabels(body)),
  }),
  operation({
    method: 'put',
    path,
    id: 'upsertParseConfiguration',
    tag,
    summary: 'Create or replace a parse configuration',
    description: 'Replaces the newest configuration with this name, or creates one.',
    access: 'project',
    body: { json: newConfiguration },
    response: { status: 200, json: configurationBody },
    errors: [400],
    handle: async ({ ctx, body }) =>
      present(await upsertClientConfiguration(ctx, body.name, fromFlat(body.parameters), toLabels(body))),
  }),
  operation({
    method: 'get',
    path,
    id: 'listParseConfigurations',
    tag,
    summary: 'List parse configurations',
    description: 'Returns one page of the parse configurations of the project, newest first.',
    access: 'project',
    query: pageQuery.extend(filters),
    response: { status: 200, json: page },
    async handle({ ctx, query }) {
      const found = await getClientConfigurationPage(ctx, query, query, ['query', 'page_token']);
      return { ...found, items: found.items.map(present) };
    },
  }),
  operation({
    method: 'post',
    path: `${path}/query`,
    id: 'queryParseConfigurations',
    effect: 'read',
    tag,
    summary: 'Find parse configurations with a filter',
    description: 'Returns one page of the parse configurations that match the filter, newest first.',
    access: 'project',
    body: {
      json: pageQuery
        .extend({
          filter: z
            .object({
              ...filters,
              source_type: z.string().nullish(),
              source_id: z.string().nullish(),
              parse_config_ids: z.array(z.string().max(200)).max(1000).nullish(),
            })
            .nullish(),
        })
        .meta({ id: 'ParseConfigurationQuery' }),
    },
    response: { status: 200, json: page },
    async handle({ ctx, body }) {
      const found = await getClientConfigurationPage(ctx, body.filter ?? {}, body, ['body', 'page_token']);
      return { ...found, items: found.items.map(present) };
    },
  }),
  // This route is declared before the routes with an id, which would otherwise treat `latest` as an id.
  operation({
    method: 'get',
    path: `${path}/latest`,
    id: 'getLatestParseConfiguration',
    tag,
    summary: 'Read the latest parse configuration',
    description: 'Returns the parse configuration that was saved last, or null if there is none.',
    access: 'project',
    query: z.object({ creator: filters.creator }),
    response: { status: 200, json: configurationBody.nullable() },
    async handle({ ctx, query }) {
      const row = await findLatestClientConfiguration(ctx, query);
      return row ? present(row) : null;
    },
  }),
  configurations.get({
    id: 'getParseConfiguration',
    description: 'Returns the parameters of the configuration and its version.',
    run: ({ ctx, params }) => getClientConfiguration(ctx, params.config_id),
  }),
  configurations.update({
    id: 'updateParseConfiguration',
    description:
      'Replaces the parameters. Jobs that exist already keep the ones that they were started with.',
    body: z.object({ parameters: parameters.nullish() }),
    errors: [400],
    run: ({ ctx, params, body }) =>
      updateClientConfiguration(ctx, params.config_id, body.parameters && fromFlat(body.parameters)),
  }),
  configurations.delete({
    id: 'deleteParseConfiguration',
    description: 'Deletes the configuration. Jobs that were started with it stay.',
    async run({ ctx, params }) {
      const { id } = await getClientConfiguration(ctx, params.config_id);
      await deleteConfiguration(ctx, id);
    },
  }),
];
