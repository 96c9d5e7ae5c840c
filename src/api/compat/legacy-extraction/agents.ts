import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams } from '#src/api/operation/schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import { checkSchema, schemaMessage } from '#src/json-schema/rules.ts';
import { BadRequest, Conflict, NotFound } from '#src/lib/errors.ts';
import {
  deleteConfiguration,
  listConfigurations,
  pageOfConfigurations,
  saveConfiguration,
  updateConfiguration,
} from '#src/services/jobs/configurations.ts';
import { agentOf, defaultAgent, findAgent, presentAgent } from './agent.ts';
import { agentBody, dataSchema, readSchema } from './bodies.ts';
import { type ExtractConfig, extractConfig, settingsOf } from './config.ts';

const name = z.string().min(1).max(255);
const changes = { data_schema: dataSchema, config: extractConfig };
const LATEST = { product_type: ['extract_v2' as const], latest_only: true };

const path = '/api/v1/extraction/extraction-agents';
const one = `${path}/{extraction_agent_id}` as const;
const params = idParams('extraction_agent_id');
const tag = 'Extraction agents';

/** As a saved configuration has them. */
function parametersOf(given: { data_schema: z.output<typeof dataSchema>; config: ExtractConfig }) {
  const data_schema = readSchema(given.data_schema);
  const check = checkSchema(data_schema);
  if (!check.ok) throw new BadRequest(`schema_validation: ${schemaMessage(check.issues)}`);
  return { product_type: 'extract_v2' as const, data_schema, ...settingsOf(given.config) };
}

async function byName(ctx: TenantContext, wanted: string) {
  const { items } = await pageOfConfigurations(ctx, { ...LATEST, name: wanted, page_size: 1 });
  return items[0];
}

export const agentOperations = [
  operation({
    method: 'post',
    path,
    id: 'createExtractionAgent',
    tag,
    summary: 'Create an extraction agent',
    description:
      'An agent is a saved configuration of the type `extract_v2`. The id of the configuration is ' +
      '`cfg-` followed by the id of the agent.',
    access: 'project',
    body: { json: z.object({ name, ...changes }).meta({ id: 'ExtractAgentCreate' }) },
    response: { status: 200, json: agentBody },
    errors: [400],
    async handle({ ctx, body }) {
      const parameters = parametersOf(body);
      if (await byName(ctx, body.name)) {
        throw new Conflict(`There is an extraction agent named ${JSON.stringify(body.name)} already.`);
      }
      return presentAgent(await agentOf(ctx, await saveConfiguration(ctx, { name: body.name, parameters })));
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'listExtractionAgents',
    tag,
    summary: 'List extraction agents',
    description:
      'Returns the agents of the project, newest first. With `include_default`, the default agent ' +
      'comes first.',
    access: 'project',
    query: z.object({
      include_default: z.boolean().nullish().describe("With the project's default agent, first."),
    }),
    response: { status: 200, json: z.array(agentBody) },
    async *handle({ ctx, query }) {
      if (query.include_default) yield [presentAgent(defaultAgent(ctx.projectId))];
      for await (const rows of listConfigurations(ctx, LATEST)) {
        const agents = await Promise.all(rows.map((row) => agentOf(ctx, row)));
        yield agents.map(presentAgent);
      }
    },
  }),
  operation({
    method: 'get',
    path: `${path}/default`,
    id: 'getDefaultExtractionAgent',
    tag,
    summary: 'Read the default extraction agent',
    description: 'The default agent has no schema of its own: every job brings its schema.',
    access: 'project',
    response: { status: 200, json: agentBody },
    handle: async ({ ctx }) => presentAgent(defaultAgent(ctx.projectId)),
  }),
  operation({
    method: 'get',
    path: `${path}/by-name/{name}`,
    id: 'getExtractionAgentByName',
    tag,
    summary: 'Find an extraction agent by its name',
    description: 'Returns the agent of this name, or 404 if the project has none.',
    access: 'project',
    params: z.object({ name }),
    response: { status: 200, json: agentBody },
    async handle({ ctx, params }) {
      const row = await byName(ctx, params.name);
      if (!row) throw new NotFound('Extraction agent', params.name);
      return presentAgent(await agentOf(ctx, row));
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'getExtractionAgent',
    tag,
    summary: 'Read an extraction agent',
    description: 'Returns the name, the schema and the configuration of the agent.',
    access: 'resource',
    params,
    response: { status: 200, json: agentBody },
    handle: async ({ ctx, params }) => presentAgent((await findAgent(ctx, params.extraction_agent_id)).agent),
  }),
  operation({
    method: 'put',
    path: one,
    id: 'updateExtractionAgent',
    tag,
    summary: 'Update an extraction agent',
    description: 'Changes the schema and the configuration. Jobs that were started before keep their own.',
    access: 'resource',
    params,
    body: { json: z.object(changes).meta({ id: 'ExtractAgentUpdate' }) },
    response: { status: 200, json: agentBody },
    errors: [400],
    async handle({ ctx, params, body }) {
      const { agent } = await findAgent(ctx, params.extraction_agent_id);
      // What clients of this kind cannot say stays as it is.
      const parameters = { ...agent.parameters, ...parametersOf(body) };
      return presentAgent(await agentOf(ctx, await updateConfiguration(ctx, agent.id, { parameters })));
    },
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'deleteExtractionAgent',
    tag,
    summary: 'Delete an extraction agent',
    description: 'Deletes the agent. Its jobs and their results stay.',
    access: 'resource',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      const { agent } = await findAgent(ctx, params.extraction_agent_id);
      await deleteConfiguration(ctx, agent.id);
      return {};
    },
  }),
];
