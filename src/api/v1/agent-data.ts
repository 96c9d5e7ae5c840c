import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { buildPageSchema, idParams, timestamp } from '#src/api/operation/schemas.ts';
import type { AgentData } from '#src/db/schema/index.ts';
import { aggregateAgentData } from '#src/services/agent-data/aggregate.ts';
import {
  agentDataAggregation,
  agentDataChanges,
  agentDataDeletion,
  agentDataSearch,
  newAgentData,
} from '#src/services/agent-data/input.ts';
import {
  createAgentData,
  deleteAgentData,
  deleteSelectedAgentData,
  getAgentData,
  updateAgentData,
} from '#src/services/agent-data/items.ts';
import { listAgentCollections, searchAgentData } from '#src/services/agent-data/search.ts';

const map = z.record(z.string(), z.unknown());
const tag = 'Agent data';
export const agentDataPath = '/api/v1/beta/agent-data';
const itemPath = `${agentDataPath}/{item_id}` as const;
export const agentDataParams = idParams('item_id');

const agentDataBody = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    deployment_name: z.string(),
    collection: z.string(),
    data: map,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'AgentData' });

const presentAgentData = (row: AgentData): z.input<typeof agentDataBody> => ({
  id: row.id,
  project_id: row.projectId,
  deployment_name: row.deploymentName,
  collection: row.collection,
  data: row.data,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

const collectionBody = z
  .object({
    deployment_name: z.string(),
    collection: z.string(),
    item_count: z.int(),
    character_count: z.int().describe('Size of all items in characters of JSON.'),
  })
  .meta({ id: 'AgentCollection' });

const groupBody = z
  .object({
    group_key: map.describe('Values of the fields of `group_by`.'),
    count: z.int().nullish().describe('Number of items, with `count`.'),
    first_item: map.nullish().describe('Data of the item that was created first, with `first`.'),
  })
  .meta({ id: 'AgentDataGroup' });

const items = resource({
  tag,
  collection: { name: 'agent data', path: agentDataPath, access: 'project' },
  item: { name: 'agent data', path: itemPath, params: agentDataParams, access: 'resource' },
  body: agentDataBody,
  present: presentAgentData,
});

/** Operation that returns a page of items that a filter selects. `place` are its path and id. */
export const declareSearch = <const Path extends string, const Id extends string>(place: {
  path: Path;
  id: Id;
}) =>
  operation({
    ...place,
    method: 'post',
    needs: 'read',
    tag,
    summary: 'Search agent data',
    description:
      'Returns one page of the items of a collection that satisfy all comparisons of the filter. Without `order_by`, ' +
      'the newest come first.',
    access: 'project',
    body: { json: agentDataSearch },
    response: { status: 200, json: buildPageSchema(agentDataBody).meta({ id: 'AgentDataPage' }) },
    async handle({ ctx, body }) {
      const page = await searchAgentData(ctx, body);
      return { ...page, items: page.items.map(presentAgentData) };
    },
  });

/** Operation that groups the items that a filter selects. `place` are its path and id. */
export const declareAggregation = <const Path extends string, const Id extends string>(place: {
  path: Path;
  id: Id;
}) =>
  operation({
    ...place,
    method: 'post',
    needs: 'read',
    tag,
    summary: 'Aggregate agent data',
    description:
      'Groups the items of a collection by the values of fields, and returns one page of the groups. Null and missing ' +
      'members are the same group.',
    access: 'project',
    body: { json: agentDataAggregation },
    response: { status: 200, json: buildPageSchema(groupBody).meta({ id: 'AgentDataGroupPage' }) },
    handle: ({ ctx, body }) => aggregateAgentData(ctx, body),
  });

/** Operation that deletes the items that a filter selects. `place` are its path and id. */
export const declareDeletion = <const Path extends string, const Id extends string>(place: {
  path: Path;
  id: Id;
}) =>
  operation({
    ...place,
    method: 'post',
    needs: 'write',
    tag,
    summary: 'Delete agent data by filter',
    description:
      'Deletes the items of a collection that satisfy all comparisons of the filter. Without a filter, all items of ' +
      'the collection are deleted.',
    access: 'project',
    body: { json: agentDataDeletion },
    response: { status: 200, json: z.object({ deleted_count: z.int() }) },
    handle: async ({ ctx, body }) => ({ deleted_count: await deleteSelectedAgentData(ctx, body) }),
  });

export const agentDataOperations = [
  operation({
    method: 'get',
    path: `${agentDataPath}/collections`,
    id: 'listAgentCollections',
    needs: 'read',
    tag,
    summary: 'List collections of agent data',
    description: 'Returns all collections of the project that have items, with their sizes.',
    access: 'project',
    response: { status: 200, json: z.object({ items: z.array(collectionBody) }) },
    handle: async ({ ctx }) => ({
      items: (await listAgentCollections(ctx)).map((row) => ({
        deployment_name: row.deploymentName,
        collection: row.collection,
        item_count: row.itemCount,
        character_count: row.characterCount,
      })),
    }),
  }),
  items.create({
    id: 'createAgentData',
    needs: 'write',
    description: 'Adds a JSON object to a collection. The first object creates the collection.',
    body: newAgentData,
    errors: [409],
    run: ({ ctx, body }) => createAgentData(ctx, body),
  }),
  declareSearch({ path: `${agentDataPath}/search`, id: 'searchAgentData' }),
  declareAggregation({ path: `${agentDataPath}/aggregate`, id: 'aggregateAgentData' }),
  declareDeletion({ path: `${agentDataPath}/delete`, id: 'deleteSelectedAgentData' }),
  items.get({
    id: 'getAgentData',
    needs: 'read',
    description: 'Returns the item.',
    run: ({ ctx, params }) => getAgentData(ctx, params.item_id),
  }),
  items.update({
    id: 'updateAgentData',
    needs: 'write',
    description: 'Replaces the data of the item.',
    body: agentDataChanges,
    errors: [409],
    run: ({ ctx, params, body }) => updateAgentData(ctx, params.item_id, body.data),
  }),
  items.delete({
    id: 'deleteAgentData',
    needs: 'write',
    description: 'Deletes the item. A collection without items no longer exists.',
    run: ({ ctx, params }) => deleteAgentData(ctx, params.item_id),
  }),
];
