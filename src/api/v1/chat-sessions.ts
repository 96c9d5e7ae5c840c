import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, timestamp } from '#src/api/schemas.ts';
import { languageModelParameters, MESSAGE_ROLES } from '#src/chat/input.ts';
import type { ChatMessage, ChatSession } from '#src/db/schema/index.ts';
import { presetRetrievalParameters } from '#src/retrieval/parameters.ts';
import { messagesOf } from '#src/services/chat/messages.ts';
import {
  createSession,
  deletePlaygroundSession,
  deleteSession,
  getSession,
  listSessions,
  openPlaygroundSession,
  renameSession,
} from '#src/services/chat/sessions.ts';
import { pipelineParams } from './pipelines.ts';

const sessionFields = {
  id: z.uuid(),
  pipeline_id: z.uuid(),
  user_id: z.string(),
  name: z.string().nullish(),
  is_playground: z.boolean().describe('Whether chats without a session_id are added to it.'),
  llm_params_id: z.uuid(),
  llm_params: languageModelParameters.nullish().describe('Last used in the session.'),
  retrieval_params_id: z.uuid(),
  retrieval_params: presetRetrievalParameters.nullish().describe('Last used in the session.'),
  created_at: timestamp.nullish(),
  updated_at: timestamp.nullish(),
};

const sessionSummary = z.object(sessionFields).meta({ id: 'ChatSession' });

const sessionBody = z
  .object({
    ...sessionFields,
    chat_messages: z
      .array(
        z.object({
          id: z.uuid(),
          index: z.number().int(),
          role: z.enum(MESSAGE_ROLES),
          content: z.string().nullish(),
          annotations: z
            .array(z.object({ type: z.string(), data: z.string(), class_name: z.string().nullish() }))
            .nullish()
            .describe('Of an answer: its `sources`, and a `status` when it was not said to its end.'),
          additional_kwargs: z.record(z.string(), z.string()).nullish(),
          class_name: z.string().nullish(),
        }),
      )
      .describe('The newest 500, in their order.'),
  })
  .meta({ id: 'PlaygroundSession' });

type Summary = z.input<typeof sessionSummary>;
type Body = z.input<typeof sessionBody>;

const presentSummary = (session: ChatSession): Summary => ({
  id: session.id,
  pipeline_id: session.pipelineId,
  user_id: session.userId,
  name: session.name,
  is_playground: session.isPlayground,
  llm_params_id: session.llmParamsId,
  llm_params: session.llmParams as Body['llm_params'],
  retrieval_params_id: session.retrievalParamsId,
  retrieval_params: session.retrievalParams as Body['retrieval_params'],
  created_at: session.createdAt.toISOString(),
  updated_at: session.updatedAt.toISOString(),
});

const presentSession = (session: ChatSession, messages: ChatMessage[]): Body => ({
  ...presentSummary(session),
  chat_messages: messages.map(({ id, clientId, position, role, content, annotations }) => ({
    id,
    index: position,
    role: role as Body['chat_messages'][number]['role'],
    content,
    annotations: annotations ?? [],
    additional_kwargs: { ...(clientId !== null && { client_id: clientId }) },
    class_name: 'ChatMessage',
  })),
});

const sessionParams = idParams('pipeline_id', 'session_id');
const sessionName = z.string().min(1).max(200).nullish();
const PATH = '/api/v1/pipelines/{pipeline_id}/chat-sessions';
const PLAYGROUND = '/api/v1/pipelines/{pipeline_id}/playground-session';
const common = { tag: 'Chat', access: 'resource' } as const;

export const chatSessionOperations = [
  operation({
    ...common,
    method: 'get',
    path: PLAYGROUND,
    id: 'getPlaygroundSession',
    summary: 'The caller’s conversation with a pipeline, begun when there is none',
    params: pipelineParams,
    response: { status: 200, json: sessionBody },
    async handle({ ctx, params }) {
      const session = await openPlaygroundSession(ctx, params.pipeline_id);
      return presentSession(session, await messagesOf(ctx, session.id));
    },
  }),
  operation({
    ...common,
    method: 'delete',
    path: PLAYGROUND,
    id: 'deletePlaygroundSession',
    summary: 'Forget that conversation; the next chat begins a new one',
    params: pipelineParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => deletePlaygroundSession(ctx, params.pipeline_id),
  }),
  operation({
    ...common,
    method: 'get',
    path: PATH,
    id: 'listChatSessions',
    summary: 'The caller’s conversations with a pipeline, the one last chatted in first',
    params: pipelineParams,
    response: { status: 200, json: z.array(sessionSummary) },
    handle: async ({ ctx, params }) => (await listSessions(ctx, params.pipeline_id)).map(presentSummary),
  }),
  operation({
    ...common,
    method: 'post',
    path: PATH,
    id: 'createChatSession',
    summary: 'Begin a conversation',
    description:
      'A chat that names it as `session_id` adds its question and answer to it. At most 500 a user.',
    params: pipelineParams,
    body: { json: z.object({ name: sessionName }), optional: true },
    response: { status: 201, json: sessionSummary },
    handle: async ({ ctx, params, body }) =>
      presentSummary(await createSession(ctx, params.pipeline_id, body?.name ?? null)),
  }),
  operation({
    ...common,
    method: 'get',
    path: `${PATH}/{session_id}`,
    id: 'getChatSession',
    summary: 'A conversation with its newest messages',
    params: sessionParams,
    response: { status: 200, json: sessionBody },
    async handle({ ctx, params }) {
      const session = await getSession(ctx, params.pipeline_id, params.session_id);
      return presentSession(session, await messagesOf(ctx, session.id));
    },
  }),
  operation({
    ...common,
    method: 'put',
    path: `${PATH}/{session_id}`,
    id: 'renameChatSession',
    summary: 'Rename a conversation; null takes its name away',
    params: sessionParams,
    body: { json: z.object({ name: sessionName }) },
    response: { status: 200, json: sessionSummary },
    handle: async ({ ctx, params, body }) =>
      presentSummary(await renameSession(ctx, params.pipeline_id, params.session_id, body.name ?? null)),
  }),
  operation({
    ...common,
    method: 'delete',
    path: `${PATH}/{session_id}`,
    id: 'deleteChatSession',
    summary: 'Delete a conversation; answers that are being made in it end',
    params: sessionParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteSession(ctx, params.pipeline_id, params.session_id),
  }),
];
