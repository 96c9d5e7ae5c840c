import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { deleteStoredResponse, getStoredResponse } from '#src/chat/sessions/stored-responses.ts';
import { Invalid } from '#src/lib/errors.ts';
import { buildListQuery, buildListSchema, presentList } from '../lists.ts';
import { type ResponseObject, responseObject } from './schemas.ts';

const DEFAULT_ITEMS = 20;

const common = {
  tag: 'Chat',
  access: 'project',
  params: z.object({
    response_id: z.string().max(200).toLowerCase().describe('Id of a response that the caller stored.'),
  }),
} as const;

const item = z.looseObject({ id: z.string(), type: z.string() });

export const storedResponseOperations = [
  operation({
    ...common,
    method: 'get',
    path: '/v1/responses/{response_id}',
    id: 'getResponse',
    needs: 'retrieve',
    summary: 'Read a stored response',
    description:
      'Returns a response that was created with `store: true`. Only the user who created it can read it, for 30 days, ' +
      'and as long as the passages that it may quote exist unchanged.',
    response: { status: 200, json: responseObject },
    handle: async ({ ctx, params }) =>
      (await getStoredResponse(ctx, params.response_id)).response as unknown as ResponseObject,
  }),
  operation({
    ...common,
    method: 'delete',
    path: '/v1/responses/{response_id}',
    id: 'deleteResponse',
    needs: 'retrieve',
    summary: 'Delete a stored response',
    description: 'Deletes the response with its conversation. Responses that continue it stay.',
    response: {
      status: 200,
      json: z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
    },
    async handle({ ctx, params }) {
      await deleteStoredResponse(ctx, params.response_id);
      return { id: params.response_id, object: 'response' as const, deleted: true as const };
    },
  }),
  operation({
    ...common,
    method: 'get',
    path: '/v1/responses/{response_id}/input_items',
    id: 'listResponseInputItems',
    needs: 'retrieve',
    summary: 'List the input of a stored response',
    description:
      'Returns the items of the conversation before the response, with those of earlier responses.',
    query: buildListQuery().omit({ before: true }),
    response: { status: 200, json: buildListSchema(item) },
    async handle({ ctx, params, query }) {
      const { input } = await getStoredResponse(ctx, params.response_id);
      const items = input as z.output<typeof item>[];
      const ordered = query.order === 'asc' ? items : items.toReversed();
      const place = query.after ? ordered.findIndex(({ id }) => id === query.after) : -1;
      if (query.after && place < 0) {
        const msg = 'must be the id of an item of this list';
        throw new Invalid([{ loc: ['query', 'after'], msg, type: 'value_error', input: query.after }]);
      }
      const rest = ordered.slice(place + 1);
      const limit = query.limit ?? DEFAULT_ITEMS;
      return presentList({ items: rest.slice(0, limit), hasMore: rest.length > limit }, (each) => each);
    },
  }),
];
