import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams } from '#src/api/operation/schemas.ts';
import { deleteConfiguration } from '#src/services/jobs/configurations.ts';
import {
  buildDefaultAgent,
  createAgent,
  findAgent,
  getAgentByName,
  listAgents,
  updateAgent,
} from '#src/services/jobs/extraction/agents.ts';
import { agentBody, dataSchema, readSchema } from './bodies.ts';
import { type ExtractConfig, extractConfig, toSettings } from './config.ts';
import { presentAgent } from './present.ts';

const name = z.string().min(1).max(255);
const changes = { data_schema: dataSchema, config: extractConfig };

const path = '/api/v1/extraction/extraction-agents';
const one = `${path}/{extraction_agent_id}` as const;
const params = idParams('extraction_agent_id');
const tag = 'Extraction agents';

const toParameters = (given: { data_schema: z.output<typeof dataSchema>; config: ExtractConfig }) => ({
  data_schema: readSchema(given.data_schema),
  ...toSettings(given.config),
});

export const agentOperations = [
  operation({
    method: 'post',
    path,
    id: 'createExtractionAgent',
    needs: 'write',
    tag,
    summary: 'Create an extraction agent',
    description:
      'An agent is a saved configuration of the type `extract_v2`. The id of the configuration is ' +
      '`cfg-` followed by the id of the agent.',
    access: 'project',
    body: { json: z.object({ name, ...changes }).meta({ id: 'ExtractAgentCreate' }) },
    response: { status: 200, json: agentBody },
    errors: [400],
    handle: async ({ ctx, body }) => presentAgent(await createAgent(ctx, body.name, toParameters(body))),
  }),
  operation({
    method: 'get',
    path,
    id: 'listExtractionAgents',
    needs: 'read',
    tag,
    summary: 'List extraction agents',
    description:
      'Returns the agents of the project, newest first. With `include_default`, the default agent ' +
      'comes first.',
    access: 'project',
    query: z.object({
      include_default: z
        .boolean()
        .nullish()
        .describe('Also returns the default agent of the project, as the first one.'),
    }),
    response: { status: 200, json: z.array(agentBody) },
    async *handle({ ctx, query }) {
      if (query.include_default) yield [presentAgent(buildDefaultAgent(ctx.projectId))];
      for await (const agents of listAgents(ctx)) yield agents.map(presentAgent);
    },
  }),
  operation({
    method: 'get',
    path: `${path}/default`,
    id: 'getDefaultExtractionAgent',
    needs: 'read',
    tag,
    summary: 'Read the default extraction agent',
    description: 'The default agent has no schema, so every job has to contain one.',
    access: 'project',
    response: { status: 200, json: agentBody },
    handle: async ({ ctx }) => presentAgent(buildDefaultAgent(ctx.projectId)),
  }),
  operation({
    method: 'get',
    path: `${path}/by-name/{name}`,
    id: 'getExtractionAgentByName',
    needs: 'read',
    tag,
    summary: 'Find an extraction agent by its name',
    description: 'Returns the agent of this name, or 404 if the project has none.',
    access: 'project',
    params: z.object({ name }),
    response: { status: 200, json: agentBody },
    handle: async ({ ctx, params }) => presentAgent(await getAgentByName(ctx, params.name)),
  }),
  operation({
    method: 'get',
    path: one,
    id: 'getExtractionAgent',
    needs: 'read',
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
    needs: 'write',
    tag,
    summary: 'Update an extraction agent',
    description: 'Changes the schema and the configuration. Jobs that were started before are not affected.',
    access: 'resource',
    params,
    body: { json: z.object(changes).meta({ id: 'ExtractAgentUpdate' }) },
    response: { status: 200, json: agentBody },
    errors: [400],
    async handle({ ctx, params, body }) {
      const { agent } = await findAgent(ctx, params.extraction_agent_id);
      return presentAgent(await updateAgent(ctx, agent, toParameters(body)));
    },
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'deleteExtractionAgent',
    needs: 'write',
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
