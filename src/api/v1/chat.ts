import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { timestamp } from '#src/api/schemas.ts';
import { chatRequest, languageModelParameters, MESSAGE_ROLES } from '#src/chat/input.ts';
import { protocolFor } from '#src/chat/stream/protocol.ts';
import type { ChatMessage, PlaygroundSession } from '#src/db/schema/index.ts';
import { presetRetrievalParameters } from '#src/retrieval/parameters.ts';
import { chatWithPipeline } from '#src/services/chat/chat.ts';
import { messagesOf, openPlaygroundSession } from '#src/services/chat/playground-sessions.ts';
import { pipelineParams } from './pipelines.ts';

const playgroundSessionBody = z
  .object({
    id: z.uuid(),
    pipeline_id: z.uuid(),
    user_id: z.string(),
    llm_params_id: z.uuid(),
    llm_params: languageModelParameters.nullish().describe('Last used in the session.'),
    retrieval_params_id: z.uuid(),
    retrieval_params: presetRetrievalParameters.nullish().describe('Last used in the session.'),
    chat_messages: z
      .array(
        z.object({
          id: z.uuid(),
          index: z.number().int(),
          role: z.enum(MESSAGE_ROLES),
          content: z.string().nullish(),
          annotations: z
            .array(z.object({ type: z.string(), data: z.string(), class_name: z.string().nullish() }))
            .nullish(),
          additional_kwargs: z.record(z.string(), z.string()).nullish(),
          class_name: z.string().nullish(),
        }),
      )
      .describe('The newest 500, in their order.'),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'PlaygroundSession' });

type Body = z.input<typeof playgroundSessionBody>;

function presentSession(session: PlaygroundSession, messages: ChatMessage[]): Body {
  return {
    id: session.id,
    pipeline_id: session.pipelineId,
    user_id: session.userId,
    llm_params_id: session.llmParamsId,
    llm_params: session.llmParams as Body['llm_params'],
    retrieval_params_id: session.retrievalParamsId,
    retrieval_params: session.retrievalParams as Body['retrieval_params'],
    chat_messages: messages.map(({ id, position, role, content, annotations }) => ({
      id,
      index: position,
      role: role as Body['chat_messages'][number]['role'],
      content,
      annotations: annotations ?? [],
      additional_kwargs: {},
      class_name: 'ChatMessage',
    })),
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  };
}

export const chatOperations = [
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/playground-session',
    id: 'getPlaygroundSession',
    tag: 'Chat',
    summary: 'The caller’s conversation with a pipeline, begun when there is none',
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: playgroundSessionBody },
    async handle({ ctx, params }) {
      const session = await openPlaygroundSession(ctx, params.pipeline_id);
      return presentSession(session, await messagesOf(ctx, session.id));
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/chat',
    id: 'chat',
    tag: 'Chat',
    summary: 'Answer from the pipeline’s documents, as a stream',
    description:
      'Server-sent events in the AI SDK’s UI message stream protocol; cited nodes are source-document parts. ' +
      'Question and answer are added to the caller’s playground session. ' +
      'A pipeline whose data sink or embedding model this installation cannot run answers 409 and says which.',
    access: 'resource',
    params: pipelineParams,
    body: { json: chatRequest },
    response: {
      status: 200,
      content: { 'text/event-stream': z.string(), 'text/plain': z.string() },
      description: 'UI message chunks, one JSON object an event',
    },
    errors: [502],
    handle: ({ ctx, params, body, requestId, request }) =>
      chatWithPipeline(ctx, params.pipeline_id, body, requestId, protocolFor(request.headers.get('accept'))),
  }),
];
