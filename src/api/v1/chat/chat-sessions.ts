import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { listMessages } from '#src/chat/sessions/messages.ts';
import {
  createSession,
  deletePlaygroundSession,
  deleteSession,
  getSession,
  listSessions,
  openPlaygroundSession,
  renameSession,
} from '#src/chat/sessions/sessions.ts';
import { listUiMessages } from '#src/chat/sessions/ui-messages.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { pipelineParams } from '../pipelines/pipelines.ts';
import { type ChatCorpus, PIPELINE_CHATS, RETRIEVER_CHATS } from './chat-corpora.ts';
import {
  messagePage,
  pageOfMessages,
  pageOfSessions,
  presentSession,
  presentSummary,
  SESSION_SCHEMAS,
} from './chat-sessions.schemas.ts';

const sessionName = z.string().min(1).max(200).nullish();
const PLAYGROUND = '/api/v1/pipelines/{pipeline_id}/playground-session';
const common = { tag: 'Chat', access: 'resource' } as const;

export const chatSessionOperations = [
  operation({
    ...common,
    method: 'get',
    path: PLAYGROUND,
    id: 'getPlaygroundSession',
    needs: 'read',
    summary: 'Read the playground session',
    description:
      'Returns the caller’s playground conversation with the pipeline. Starts one if there is none.',
    params: pipelineParams,
    response: { status: 200, json: SESSION_SCHEMAS.pipeline.whole },
    async handle({ ctx, params }) {
      const session = await openPlaygroundSession(ctx, params);
      return presentSession(session, await listMessages(ctx, session.id));
    },
  }),
  operation({
    ...common,
    method: 'delete',
    path: PLAYGROUND,
    id: 'deletePlaygroundSession',
    needs: 'read',
    summary: 'Delete the playground session',
    description:
      'Deletes the caller’s playground conversation with the pipeline. The next chat in the playground ' +
      'starts a new one.',
    params: pipelineParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => deletePlaygroundSession(ctx, params),
  }),
  ...collectionOperations(PIPELINE_CHATS),
  ...sessionOperations(PIPELINE_CHATS),
  ...collectionOperations(RETRIEVER_CHATS),
  ...sessionOperations(RETRIEVER_CHATS),
];

/** Declares the operations that list and create the sessions of one pipeline or retriever. */
function collectionOperations<Prefix extends string, Path extends string>({
  path,
  params,
  prefix,
  asked,
  what,
}: ChatCorpus<Prefix, Path>) {
  const collection = { ...common, path: `${path}/chat-sessions`, params } as const;
  const { summary } = SESSION_SCHEMAS[what];
  return [
    operation({
      ...collection,
      method: 'get',
      id: `list${prefix}ChatSessions` as const,
      needs: 'read',
      summary: `List the chat sessions of a ${what}`,
      description:
        `Returns the caller’s conversations with the ${what}. The conversation with the newest message ` +
        'comes first.',
      query: pageOfSessions,
      response: {
        status: 200,
        json: z.object({
          sessions: z.array(summary),
          limit: z.number().int(),
          offset: z.number().int(),
          total_count: z.number().int(),
        }),
      },
      async handle({ ctx, params, query }) {
        const page = { limit: query.limit ?? 50, offset: query.offset ?? 0 };
        const { sessions, total } = await listSessions(ctx, asked(params), page);
        return { sessions: sessions.map(presentSummary), ...page, total_count: total };
      },
    }),
    operation({
      ...collection,
      method: 'post',
      id: `create${prefix}ChatSession` as const,
      needs: 'retrieve',
      summary: `Create a chat session with a ${what}`,
      description:
        'A chat request that names the session in `session_id` adds its question and answer to it. A ' +
        'user can have 500 sessions.',
      body: { json: z.object({ name: sessionName }), optional: true },
      response: { status: 201, json: summary },
      handle: async ({ ctx, params, body }) =>
        presentSummary(await createSession(ctx, asked(params), body?.name ?? null)),
    }),
  ];
}

/** Declares the operations on one session of a pipeline or retriever. */
function sessionOperations<Prefix extends string, Path extends string>({
  path: corpus,
  params: corpusParams,
  prefix,
  asked,
  what,
}: ChatCorpus<Prefix, Path>) {
  const path = `${corpus}/chat-sessions/{session_id}` as const;
  const params = corpusParams.extend({ session_id: uuid() });
  const session = { ...common, path, params } as const;
  const { summary, whole } = SESSION_SCHEMAS[what];
  return [
    operation({
      ...session,
      method: 'get',
      id: `get${prefix}ChatSession` as const,
      needs: 'retrieve',
      summary: 'Read a chat session',
      description: 'Returns the session with its newest messages.',
      response: { status: 200, json: whole },
      async handle({ ctx, params }) {
        const found = await getSession(ctx, asked(params), params.session_id);
        return presentSession(found, await listMessages(ctx, found.id));
      },
    }),
    operation({
      ...session,
      method: 'get',
      path: `${path}/messages` as const,
      id: `list${prefix}ChatMessages` as const,
      needs: 'retrieve',
      summary: 'List the messages of a chat session',
      description:
        'Returns UI messages as the AI SDK’s `useChat` takes them for its initial messages. An answer ' +
        'has the same parts that its stream had, including sources and citations.',
      query: pageOfMessages,
      response: { status: 200, json: messagePage },
      async handle({ ctx, params, query }) {
        const found = await getSession(ctx, asked(params), params.session_id);
        const page = { limit: query.limit ?? 50, before: query.before ?? undefined };
        const { messages, nextBefore, total } = await listUiMessages(ctx, found, page);
        return { messages, next_before: nextBefore, total_count: total };
      },
    }),
    operation({
      ...session,
      method: 'put',
      id: `rename${prefix}ChatSession` as const,
      needs: 'retrieve',
      summary: 'Rename a chat session',
      description: 'Changes the name of the session. A null name removes it.',
      body: { json: z.object({ name: sessionName }) },
      response: { status: 200, json: summary },
      handle: async ({ ctx, params, body }) =>
        presentSummary(await renameSession(ctx, asked(params), params.session_id, body.name ?? null)),
    }),
    operation({
      ...session,
      method: 'delete',
      id: `delete${prefix}ChatSession` as const,
      needs: 'retrieve',
      summary: 'Delete a chat session',
      description: 'Deletes the session with its messages. Answers that are being generated in it end.',
      response: { status: 204 },
      handle: ({ ctx, params }) => deleteSession(ctx, asked(params), params.session_id),
    }),
  ];
}
