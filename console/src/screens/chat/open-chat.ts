import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { buildUrl, readApiError } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { announce } from '../../ui/announce.tsx';
import { type Corpus, requestTo } from './corpus.ts';
import { type ChatMessage, collectCitedIds } from './messages.ts';
import type { ChatParameters } from './parameters.ts';

/**
 * Creates the chat object that `useChat` uses. Its id is the session id, so that a running answer can be
 * resumed after a reload. `parameters` is called for every question and every regeneration.
 */
export function openChat(
  corpus: Corpus,
  session: string,
  messages: ChatMessage[],
  parameters: () => ChatParameters,
): Chat<ChatMessage> {
  const at = (rest: string) => buildUrl(requestTo(corpus, 'POST', rest));
  const resumed = new Set<string>();
  const chat: Chat<ChatMessage> = new Chat<ChatMessage>({
    id: session,
    messages,
    transport: new DefaultChatTransport<ChatMessage>({
      fetch: fetchOrFail,
      prepareSendMessagesRequest: ({ id, messages: chatMessages, trigger, messageId }) => ({
        api: at('/chat'),
        body: {
          id,
          session_id: session,
          trigger,
          ...(messageId && { messageId }),
          messages: chatMessages.map(toTextMessage).filter(({ parts }) => parts.length > 0),
          data: parameters(),
        },
      }),
      prepareReconnectToStreamRequest: ({ id }) => ({ api: at(`/chat/${encodeURIComponent(id)}/stream`) }),
    }),
    onFinish({ message, isAbort, isError, isDisconnect }) {
      const { complete } = message.metadata ?? {};
      if (complete)
        announce(
          t('Answer complete, {count, plural, one {# source} other {# sources}}', {
            count: collectCitedIds(message).size,
          }),
        );
      if (complete !== undefined) return;
      if (isAbort) setEndStatus(chat, message.id, 'aborted');
      else if (isError && !isDisconnect) setEndStatus(chat, message.id, 'failed');
      else if (resumed.has(message.id)) setEndStatus(chat, message.id, 'cut');
      else {
        resumed.add(message.id);
        // Resuming is deferred, because the chat object still treats the request that has just ended as its
        // current request.
        setTimeout(() => void resume(chat, message.id));
      }
    },
  });
  return chat;
}

/**
 * Resumes an answer whose connection was lost. If the service no longer has the stream, the answer is marked
 * as cut off.
 */
async function resume(chat: Chat<ChatMessage>, messageId: string): Promise<void> {
  await chat.resumeStream();
  const message = chat.messages.find(({ id }) => id === messageId);
  const isOver = chat.status === 'ready' || chat.status === 'error';
  if (isOver && message && message.metadata?.complete === undefined) {
    setEndStatus(chat, messageId, 'cut');
  }
}

/** Records in the message how an answer ended. Stored answers from the service use the same field. */
function setEndStatus(
  chat: Chat<ChatMessage>,
  messageId: string,
  status: 'cut' | 'aborted' | 'failed',
): void {
  chat.messages = chat.messages.map((message) =>
    message.id === messageId && !message.metadata?.status
      ? { ...message, metadata: { ...message.metadata, status } }
      : message,
  );
  if (status !== 'failed') announce(status === 'cut' ? t('The answer was cut off.') : t('Stopped.'));
}

/**
 * Reduces a message to its text. Sources and citations are not sent back, because they are long and the
 * service has stored them.
 */
const toTextMessage = ({ id, role, parts }: ChatMessage) => ({
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
  if (!answer.ok) throw await readApiError(answer, String(input));
  if (!answer.body) return answer;
  const { status, headers } = answer;
  return new Response(answer.body.pipeThrough(splitIntoPieces()), { status, headers });
};

/** Bytes of a stream that are processed before the browser may handle other work. */
const PIECE_BYTES = 4_096;

/**
 * Splits a stream into small pieces and lets the browser handle other work between them. A resumed answer,
 * which arrives at once, would otherwise block the page.
 */
function splitIntoPieces(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    async transform(bytes, out) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        if (at > 0) await new Promise((resolve) => setTimeout(resolve));
        out.enqueue(bytes.subarray(at, at + PIECE_BYTES));
      }
    },
  });
}
