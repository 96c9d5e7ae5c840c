import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { languageModelParameters, MESSAGE_ROLES } from '#src/chat/input.ts';
import type { ChatMessage, ChatSession } from '#src/db/schema/index.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';

const fields = {
  id: z.uuid(),
  user_id: z.string(),
  name: z
    .string()
    .nullish()
    .describe('Name of the session. It is the first question until the session is renamed.'),
  is_playground: z.boolean().describe('Whether chats without a session_id are added to this session.'),
  llm_params_id: z.uuid(),
  llm_params: languageModelParameters.nullish().describe('Last value used in the session.'),
  retrieval_params_id: z.uuid(),
  retrieval_params: presetRetrievalParameters.nullish().describe('Last value used in the session.'),
  created_at: timestamp.nullish(),
  updated_at: timestamp.nullish(),
};

const messages = z
  .array(
    z.object({
      id: z.uuid(),
      index: z.number().int(),
      role: z.enum(MESSAGE_ROLES),
      content: z.string().nullish(),
      annotations: z
        .array(z.object({ type: z.string(), data: z.string(), class_name: z.string().nullish() }))
        .nullish()
        .describe(
          'For an answer, JSON with its `sources`, the `citations` in its text, the `metadata` of its start and end, and ' +
            'a `status` if it is incomplete.',
        ),
      additional_kwargs: z.record(z.string(), z.string()).nullish(),
      class_name: z.string().nullish(),
    }),
  )
  .describe('The newest 500 messages in chronological order.');

const pipelineFields = { ...fields, pipeline_id: z.uuid() };
const retrieverFields = { ...fields, retriever_id: z.uuid() };

export const SESSION_SCHEMAS = {
  pipeline: {
    summary: z.object(pipelineFields).meta({ id: 'ChatSession' }),
    whole: z.object({ ...pipelineFields, chat_messages: messages }).meta({ id: 'PlaygroundSession' }),
  },
  retriever: {
    summary: z.object(retrieverFields).meta({ id: 'RetrieverChatSession' }),
    whole: z
      .object({ ...retrieverFields, chat_messages: messages })
      .meta({ id: 'RetrieverChatSessionWithMessages' }),
  },
};

type Fields = z.input<z.ZodObject<typeof fields>>;
type Messages = z.input<typeof messages>;

export const presentSummary = (session: ChatSession) => ({
  id: session.id,
  ...presentIds(session),
  user_id: session.userId,
  name: session.name,
  is_playground: session.isPlayground,
  llm_params_id: session.llmParamsId,
  llm_params: session.llmParams as Fields['llm_params'],
  retrieval_params_id: session.retrievalParamsId,
  retrieval_params: session.retrievalParams as Fields['retrieval_params'],
  created_at: session.createdAt.toISOString(),
  updated_at: session.updatedAt.toISOString(),
});

/** Returns the pipeline id or the retriever id of a chat session, whichever the session has. */
const presentIds = ({ pipelineId, retrieverId }: ChatSession) =>
  ({ ...(pipelineId ? { pipeline_id: pipelineId } : { retriever_id: retrieverId }) }) as {
    pipeline_id: string;
    retriever_id: string;
  };

export const presentSession = (session: ChatSession, said: ChatMessage[]) => ({
  ...presentSummary(session),
  chat_messages: said.map(({ id, clientId, position, role, content, annotations }) => ({
    id,
    index: position,
    role: role as Messages[number]['role'],
    content,
    annotations: annotations ?? [],
    additional_kwargs: { ...(clientId !== null && { client_id: clientId }) },
    class_name: 'ChatMessage',
  })),
});

/** A message in the format of the AI SDK's `UIMessage`. */
const uiMessage = z
  .object({
    id: z.string().describe('Id that the client gave the question, if any.'),
    role: z.enum(['system', 'user', 'assistant']),
    metadata: z
      .record(z.string(), z.unknown())
      .describe(
        'For an answer, the metadata of its start and end, and its `status`: complete, cut, aborted or failed.',
      ),
    parts: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'StoredUIMessage' });

export const messagePage = z.object({
  messages: z.array(uiMessage).describe('Messages in chronological order.'),
  next_before: z
    .number()
    .int()
    .nullable()
    .describe('Value of `before` for the page with earlier messages. Null if there are none.'),
  total_count: z.number().int(),
});

export const pageOfMessages = z.object({
  limit: z.number().int().min(1).max(500).nullish().describe('Maximum number of messages. Default: 50.'),
  before: z
    .number()
    .int()
    .min(0)
    .nullish()
    .describe('Returns messages before the message with this index. If absent, the newest messages.'),
});

export const pageOfSessions = z.object({
  limit: z.number().int().min(1).max(500).nullish().describe('Maximum number of sessions. Default: 50.'),
  offset: z.number().int().min(0).nullish().describe('Number of sessions to skip.'),
});
