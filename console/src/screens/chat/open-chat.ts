import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { addressOf, failureOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { announce } from '../../ui/announce.tsx';
import { plural } from '../../ui/format.ts';
import { type Corpus, requestTo } from './corpus.ts';
import { type ChatMessage, citedOf } from './messages.ts';
import type { ChatParameters } from './parameters.ts';

/**
 * A conversation as `useChat` holds it, under the id of its session, so that an answer is found again after a reload.
 * `parameters` is asked at each question, and at each that is asked once more.
 */
export function openChat(
  corpus: Corpus,
  session: string,
  messages: ChatMessage[],
  parameters: () => ChatParameters,
): Chat<ChatMessage> {
  const at = (rest: string) => addressOf(requestTo(corpus, 'POST', rest));
  const resumed = new Set<string>();
  const chat: Chat<ChatMessage> = new Chat<ChatMessage>({
    id: session,
    messages,
    transport: new DefaultChatTransport<ChatMessage>({
      fetch: fetchOrFail,
      prepareSendMessagesRequest: ({ id, messages: said, trigger, messageId }) => ({
        api: at('/chat'),
        body: {
          id,
          session_id: session,
          trigger,
          ...(messageId && { messageId }),
          messages: said.map(textAlone).filter(({ parts }) => parts.length > 0),
          data: parameters(),
        },
      }),
      prepareReconnectToStreamRequest: ({ id }) => ({ api: at(`/chat/${encodeURIComponent(id)}/stream`) }),
    }),
    onFinish({ message, isAbort, isError, isDisconnect }) {
      const { complete } = message.metadata ?? {};
      if (complete) announce(`Answer complete, ${plural(citedOf(message).size, 'source')}`);
      if (complete !== undefined) return;
      if (isAbort) settle(chat, message.id, 'aborted');
      else if (isError && !isDisconnect) settle(chat, message.id, 'failed');
      else if (resumed.has(message.id)) settle(chat, message.id, 'cut');
      else {
        resumed.add(message.id);
        // Afterwards: the request that ends here is still the chat's own.
        setTimeout(() => void resume(chat, message.id));
      }
    },
  });
  return chat;
}

/** Reads an answer once more whose connection was lost; where the service has it no more, it stays cut. */
async function resume(chat: Chat<ChatMessage>, messageId: string): Promise<void> {
  await chat.resumeStream();
  const message = chat.messages.find(({ id }) => id === messageId);
  const isOver = chat.status === 'ready' || chat.status === 'error';
  if (isOver && message && message.metadata?.complete === undefined) {
    settle(chat, messageId, 'cut');
  }
}

/** Says of an answer how it ended, as the service does when it is read again. */
function settle(chat: Chat<ChatMessage>, messageId: string, status: 'cut' | 'aborted' | 'failed'): void {
  chat.messages = chat.messages.map((message) =>
    message.id === messageId && !message.metadata?.status
      ? { ...message, metadata: { ...message.metadata, status } }
      : message,
  );
  if (status !== 'failed') announce(status === 'cut' ? 'The answer was cut off.' : 'Stopped.');
}

/** What was found and cited stays where it is: the service has it, and passages are long. */
const textAlone = ({ id, role, parts }: ChatMessage) => ({
  id,
  role,
  parts: parts.flatMap((part) =>
    part.type === 'text' && part.text.trim() ? [{ type: 'text', text: part.text }] : [],
  ),
});

const fetchOrFail: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, undefined);
  });
  if (!answer.ok) throw await failureOf(answer, String(input));
  if (!answer.body) return answer;
  const { status, headers } = answer;
  return new Response(answer.body.pipeThrough(inPieces()), { status, headers });
};

/** Bytes of a stream that are worked through before the page may do something else. */
const PIECE = 4_096;

/** What arrives in one burst, as when an answer is read again, would hold the page until all of it is worked through. */
function inPieces(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    async transform(bytes, out) {
      for (let at = 0; at < bytes.length; at += PIECE) {
        if (at > 0) await new Promise((resolve) => setTimeout(resolve));
        out.enqueue(bytes.subarray(at, at + PIECE));
      }
    },
  });
}
