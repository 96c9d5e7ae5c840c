import { z } from 'zod';
import { EVENTS, streamText } from '#src/api/openai/event-stream.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import {
  createIndexChat,
  deleteIndexChat,
  getIndexChat,
  getIndexChatPage,
  MAX_INDEXES,
} from '#src/chat/index-chats/chats.ts';
import type { ChatEvent } from '#src/chat/index-chats/events.ts';
import { beginTurn, listChatEvents } from '#src/chat/index-chats/turns.ts';
import type { IndexChat } from '#src/db/schema/index.ts';
import { queryText } from '#src/retrieval-contract/parameters.ts';

const indexIds = z.array(z.string().min(1).max(200)).max(MAX_INDEXES);
const tokens = z.number().int().nullish();

const summaryBody = z.object({
  session_id: z.string(),
  generated_title: z.string().nullish().describe('Title from the first question.'),
  index_ids: z.array(z.string()).nullish().describe('Indexes to which the session is bound.'),
  job_metadata: z
    .object({
      duration_ms: z.number(),
      error: z.string().nullish(),
      is_error: z.boolean(),
      export_config_ids: z.array(z.string()).nullish().describe('Indexes that the last question searched.'),
      total_input_tokens: tokens,
      total_output_tokens: tokens,
      turns: z.number().int(),
    })
    .nullish()
    .describe('State and token usage of the last answer.'),
  last_updated_at: timestamp,
});
const summary = summaryBody.meta({ id: 'ClientChatSummary' });
const whole = summaryBody
  .extend({
    events: z
      .array(z.looseObject({ type: z.string() }))
      .describe(
        'Events of all turns in order: `user_input`, `tool_call` and `tool_result` of the search, `text` with its ' +
          '`citations`, `stop`.',
      ),
  })
  .meta({ id: 'ClientChat' });

function presentSummary({ id, title, indexIds: bound, lastRun, updatedAt }: IndexChat) {
  const { index_ids: searched, ...run } = lastRun ?? { index_ids: [] };
  return {
    session_id: id,
    generated_title: title,
    index_ids: bound,
    job_metadata: lastRun && { ...(run as Omit<typeof lastRun, 'index_ids'>), export_config_ids: searched },
    last_updated_at: updatedAt.toISOString(),
  };
}

const encodeEvent = (event: ChatEvent | undefined) =>
  event ? `data: ${JSON.stringify(event)}\n\n` : ':\n\n';

async function* encodeEvents(events: AsyncGenerator<ChatEvent | undefined, void>) {
  for await (const event of events) yield encodeEvent(event);
}

const tag = 'Chat';
const path = '/api/v1/chat';
const one = `${path}/{session_id}` as const;
const params = z.object({ session_id: z.string().max(200).describe('Id of a session of the caller.') });

export const clientChatOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientCreateChat',
    needs: 'retrieve',
    tag,
    summary: 'Create a chat session',
    description:
      'Creates a conversation that only the caller sees. With `index_ids` it is bound to these indexes from its first ' +
      'question on. Otherwise each question names its own.',
    access: 'project',
    body: {
      json: z.object({ index_ids: indexIds.nullish() }).meta({ id: 'ClientChatCreate' }),
      optional: true,
    },
    response: { status: 201, json: summary },
    handle: async ({ ctx, body }) => {
      const named = body?.index_ids;
      return presentSummary(await createIndexChat(ctx, named?.length ? named : null));
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListChats',
    needs: 'read',
    tag,
    summary: 'List chat sessions',
    description: 'Returns one page of the caller’s chat sessions in the project, newest first.',
    access: 'project',
    query: pageQuery,
    response: { status: 200, json: buildPageSchema(summary).meta({ id: 'ClientChatPage' }) },
    async handle({ ctx, query }) {
      const page = await getIndexChatPage(ctx, query);
      return { ...page, items: page.items.map(presentSummary) };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'clientGetChat',
    needs: 'retrieve',
    tag,
    summary: 'Read a chat session',
    description: 'Returns the session with the events of its questions and answers.',
    access: 'resource',
    params,
    response: { status: 200, json: whole },
    async handle({ ctx, params }) {
      const chat = await getIndexChat(ctx, params.session_id);
      const events = await listChatEvents(ctx, chat);
      return { ...presentSummary(chat), events: events as { type: string }[] };
    },
  }),
  operation({
    method: 'get',
    path: `${one}/summary`,
    id: 'clientGetChatSummary',
    needs: 'retrieve',
    tag,
    summary: 'Read the summary of a chat session',
    description: 'Returns the session without its events.',
    access: 'resource',
    params,
    response: { status: 200, json: summary },
    handle: async ({ ctx, params }) => presentSummary(await getIndexChat(ctx, params.session_id)),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'clientDeleteChat',
    needs: 'retrieve',
    tag,
    summary: 'Delete a chat session',
    description: 'Deletes the session with its questions and answers.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteIndexChat(ctx, params.session_id),
  }),
  operation({
    method: 'post',
    path: `${one}/messages/stream`,
    id: 'clientStreamChat',
    needs: 'retrieve',
    tag,
    summary: 'Ask a question in a chat session',
    description:
      'Streams the answer as server-sent events with one JSON object each: `user_input`, `tool_call` and `tool_result` ' +
      'of the search, `text_delta` for each part of the text, `text` with the whole text and its `citations`, and `stop`. ' +
      'A mark such as [1] in the text refers to the result with this `citation`.',
    access: 'resource',
    params,
    body: {
      json: z
        .object({
          index_ids: indexIds.describe('Indexes to search. May be empty if the session is bound to indexes.'),
          prompt: queryText,
        })
        .meta({ id: 'ClientChatQuestion' }),
    },
    response: {
      status: 200,
      content: { 'text/event-stream': z.string() },
      description: 'Events of the answer while it is generated',
    },
    errors: [409, 502],
    async handle({ ctx, params, body, requestId }) {
      const { events, source } = await beginTurn(ctx, params.session_id, body, requestId);
      return new Response(streamText(encodeEvents(events), source), { headers: EVENTS });
    },
  }),
];
