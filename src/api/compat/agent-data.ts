import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import {
  agentDataParams,
  agentDataPath,
  declareAggregation,
  declareDeletion,
  declareSearch,
} from '#src/api/v1/agent-data.ts';
import { deleteAgentData } from '#src/services/agent-data/items.ts';

/** Operations on agent data that LlamaCloud's clients call by paths such as `/agent-data/:search`. */
export const clientAgentDataOperations = [
  declareSearch({ path: `${agentDataPath}/:search`, id: 'clientSearchAgentData' }),
  declareAggregation({ path: `${agentDataPath}/:aggregate`, id: 'clientAggregateAgentData' }),
  declareDeletion({ path: `${agentDataPath}/:delete`, id: 'clientDeleteSelectedAgentData' }),
  operation({
    method: 'delete',
    path: `${agentDataPath}/{item_id}`,
    id: 'clientDeleteAgentData',
    needs: 'write',
    tag: 'Agent data',
    summary: 'Delete agent data',
    description: 'Deletes the item and returns its id.',
    access: 'resource',
    params: agentDataParams,
    response: { status: 200, json: z.object({ id: z.string() }) },
    async handle({ ctx, params }) {
      await deleteAgentData(ctx, params.item_id);
      return { id: params.item_id };
    },
  }),
];
