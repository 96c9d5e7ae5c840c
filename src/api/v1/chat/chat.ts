import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { chatRequest, MAX_ID_CHARACTERS } from '#src/chat/input.ts';
import { beginChat } from '#src/chat/sessions/chat.ts';
import { resumeChat, stopChat } from '#src/chat/sessions/streams.ts';
import { type ProtocolName, protocolFor, protocols } from '#src/chat/stream/protocol.ts';
import { type ChatCorpus, PIPELINE_CHATS, RETRIEVER_CHATS } from './chat-corpora.ts';

const STREAM = {
  status: 200,
  content: { 'text/event-stream': z.string(), 'text/plain': z.string() },
  description:
    'UI message chunks with one JSON object per event, or lines of the data stream with Accept: text/plain',
} as const;

const common = { tag: 'Chat', access: 'resource' } as const;

const chooseProtocol = (request: Request) => protocolFor(request.headers.get('accept'));

const streamed = (stream: ReadableStream<Uint8Array>, protocol: ProtocolName) =>
  new Response(stream, { headers: protocols[protocol].headers });

const REFUSED = {
  pipeline:
    'Answers 409 if this installation cannot run the data sink or the embedding model of the pipeline, and says which.',
  retriever:
    'All pipelines of the retriever are searched, each with its preset and the `data.retrieval_parameters` of the ' +
    'request, and their results are ranked together. `messageMetadata.retrieval.pipelines` names the pipelines that ' +
    'could not be searched.',
};

export const chatOperations = [
  ...chatsWith(PIPELINE_CHATS, 'chat'),
  ...chatsWith(RETRIEVER_CHATS, 'chatWithRetriever'),
];

function chatsWith<Prefix extends string, Path extends string, const Id extends string>(
  { path, params, prefix, asked, what }: ChatCorpus<Prefix, Path>,
  id: Id,
) {
  const stream = `${path}/chat/{chat_id}/stream` as const;
  const chatParams = params.extend({
    chat_id: z.string().max(MAX_ID_CHARACTERS).describe('The `id` of the chat request.'),
  });
  return [
    operation({
      ...common,
      method: 'post',
      path: `${path}/chat` as const,
      id,
      needs: 'retrieve',
      summary: `Chat with the documents of a ${what}`,
      description:
        'Streams the answer as server-sent events in the UI message stream protocol of the AI SDK, or, with ' +
        '`Accept: text/plain`, as lines of its versions 3 and 4. The sources come first as `source-document` parts. ' +
        'After the text, a `data-citations` part says which sources the text cites. The question and the answer are ' +
        'added to a chat session of the caller. A chat with an `id` can be resumed after a lost connection; a chat ' +
        'without one ends with its connection. The `finish` part of a whole answer has `complete` in its ' +
        '`messageMetadata`. ' +
        REFUSED[what],
      params,
      body: { json: chatRequest },
      response: STREAM,
      errors: [502],
      async handle({ ctx, params, body, requestId, request }) {
        const protocol = chooseProtocol(request);
        return streamed(await beginChat(ctx, asked(params), body, { requestId, protocol }), protocol);
      },
    }),
    operation({
      ...common,
      method: 'get',
      path: stream,
      id: `resume${prefix}Chat` as const,
      needs: 'retrieve',
      summary: 'Resume the stream of an answer',
      description:
        'Streams the newest answer of the chat from its beginning and follows it while it is ' +
        'generated. Any number of clients can read it, until half a minute after its end. An answer ' +
        'without readers is generated for `CHAT_RESUME_SECONDS` more and then ends; the session keeps ' +
        'what was generated.',
      params: chatParams,
      response: { ...STREAM, nothing: 'There is nothing to resume' },
      async handle({ ctx, params, request }) {
        const protocol = chooseProtocol(request);
        const stream = await resumeChat(ctx, asked(params), params.chat_id, protocol);
        return stream ? streamed(stream, protocol) : new Response(null, { status: 204 });
      },
    }),
    operation({
      ...common,
      method: 'delete',
      path: stream,
      id: `stop${prefix}Chat` as const,
      needs: 'retrieve',
      summary: 'Stop the answers of a chat',
      description: 'Ends every answer of the chat that is being generated, for all clients that read it.',
      params: chatParams,
      response: { status: 204 },
      handle: ({ ctx, params }) => stopChat(ctx, asked(params), params.chat_id),
    }),
  ];
}
