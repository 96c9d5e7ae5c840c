import type { Request } from '../../api/client.ts';
import { send } from '../../api/client.ts';
import type { Answer, Body } from '../../api/types.ts';
import type { ChatMessage } from './messages.ts';

/**
 * Target of a chat: an index, or a retriever that searches several indexes. Both have the same chat
 * operations.
 */
export interface Corpus {
  kind: 'index' | 'retriever';
  id: string;
}

export type SessionList = Answer<'GET /api/v1/pipelines/{pipeline_id}/chat-sessions'>;
export type ChatSession = SessionList['sessions'][number];
export type ChatBody = Body<'POST /api/v1/pipelines/{pipeline_id}/chat'>;
type MessagePage = Omit<
  Answer<'GET /api/v1/pipelines/{pipeline_id}/chat-sessions/{session_id}/messages'>,
  'messages'
> & { messages: ChatMessage[] };

const ROOTS = {
  index: { path: '/api/v1/pipelines/{pipeline_id}', param: 'pipeline_id' },
  retriever: { path: '/api/v1/retrievers/{retriever_id}', param: 'retriever_id' },
};

/** Builds an API request for a path below the URL of an index or a retriever. */
export function requestTo(
  { kind, id }: Corpus,
  method: string,
  rest: string,
  more: Pick<Request, 'params' | 'query' | 'body'> = {},
): Request {
  const { path, param } = ROOTS[kind];
  return { method, path: path + rest, ...more, params: { [param]: id, ...more.params } };
}

const SESSION = '/chat-sessions/{session_id}';

export const listSessions = (corpus: Corpus, limit: number, signal: AbortSignal) =>
  send(requestTo(corpus, 'GET', '/chat-sessions', { query: { limit } }), signal) as Promise<SessionList>;

export const createSession = (corpus: Corpus) =>
  send(requestTo(corpus, 'POST', '/chat-sessions', { body: {} })) as Promise<ChatSession>;

export const renameSession = (corpus: Corpus, session_id: string, name: string) =>
  send(requestTo(corpus, 'PUT', SESSION, { params: { session_id }, body: { name } }));

export const deleteSession = (corpus: Corpus, session_id: string) =>
  send(requestTo(corpus, 'DELETE', SESSION, { params: { session_id } }));

/**
 * Returns the newest messages of a conversation. With `before`, it returns the messages before that position.
 */
export const listMessages = (corpus: Corpus, session_id: string, before?: number, signal?: AbortSignal) =>
  send(
    requestTo(corpus, 'GET', `${SESSION}/messages`, { params: { session_id }, query: { limit: 50, before } }),
    signal,
  ) as Promise<MessagePage>;

/** Stops an answer on the server. The answer ends for every client that is reading it. */
export const stopAnswer = (corpus: Corpus, chat_id: string) =>
  send(requestTo(corpus, 'DELETE', '/chat/{chat_id}/stream', { params: { chat_id } }));
