import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { chatRequest, LONGEST_ID } from '#src/chat/input.ts';
import { type ProtocolName, protocolFor, protocols } from '#src/chat/stream/protocol.ts';
import { beginChat } from '#src/services/chat/chat.ts';
import { resumeChat, stopChat } from '#src/services/chat/streams.ts';
import { type ChatCorpus, PIPELINE_CHATS, RETRIEVER_CHATS } from './chat-corpora.ts';

const STREAM = {
  status: 200,
  content: { 'text/event-stream': z.string(), 'text/plain': z.string() },
  description:
    'UI message chunks, one JSON object an event; or, with Accept: text/plain, lines of the data stream',
} as const;

const common = { tag: 'Chat', access: 'resource' } as const;

const protocolOf = (request: Request) => protocolFor(request.headers.get('accept'));

const streamed = (stream: ReadableStream<Uint8Array>, protocol: ProtocolName) =>
  new Response(stream, { headers: protocols[protocol].headers });

const REFUSED = {
  pipeline:
    'A pipeline whose data sink or embedding model this installation cannot run answers 409 and says which.',
  retriever:
    'All its pipelines are asked, each with its preset and `data.retrieval_parameters` over that, and what they find ' +
    'is ranked together; a pipeline that cannot be asked is told of in `messageMetadata.retrieval.pipelines`.',
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
    chat_id: z.string().max(LONGEST_ID).describe('The `id` that the chat was sent with.'),
  });
  return [
    operation({
      ...common,
      method: 'post',
      path: `${path}/chat` as const,
      id,
      summary: `Answer from the ${what}’s documents, as a stream`,
      description:
        'Server-sent events in the AI SDK’s UI message stream protocol, or, with `Accept: text/plain`, the lines of its ' +
        'versions 3 and 4. What was found comes first, as source-document parts; after the text a data-citations part ' +
        'says which of it the text cites. Question and answer are added to a session of the caller’s. ' +
        'A chat with an `id` can be resumed after its connection was lost; one without ends with its connection. ' +
        'The `finish` of a whole answer says `complete` in its messageMetadata. ' +
        REFUSED[what],
      params,
      body: { json: chatRequest },
      response: STREAM,
      errors: [502],
      async handle({ ctx, params, body, requestId, request }) {
        const protocol = protocolOf(request);
        return streamed(await beginChat(ctx, asked(params), body, { requestId, protocol }), protocol);
      },
    }),
    operation({
      ...common,
      method: 'get',
      path: stream,
      id: `resume${prefix}Chat` as const,
      summary: 'The newest answer of a chat, from its beginning and on as it is made',
      description:
        'For any number of readers, while the answer is made and for half a minute after its end. Without readers an ' +
        'answer goes on for CHAT_RESUME_SECONDS, then it ends; what was said of it stays in the session.',
      params: chatParams,
      response: { ...STREAM, nothing: 'There is nothing to resume' },
      async handle({ ctx, params, request }) {
        const protocol = protocolOf(request);
        const stream = await resumeChat(ctx, asked(params), params.chat_id, protocol);
        return stream ? streamed(stream, protocol) : new Response(null, { status: 204 });
      },
    }),
    operation({
      ...common,
      method: 'delete',
      path: stream,
      id: `stop${prefix}Chat` as const,
      summary: 'End the answers of a chat that are being made, for all their readers',
      params: chatParams,
      response: { status: 204 },
      handle: ({ ctx, params }) => stopChat(ctx, asked(params), params.chat_id),
    }),
  ];
}
