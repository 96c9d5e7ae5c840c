import type { Chat } from '@ai-sdk/react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Corpus, createSession, listMessages, type SessionList } from './corpus.ts';
import type { ChatMessage } from './messages.ts';
import { openChat } from './open-chat.ts';
import { type ChatParameters, getLastUsedParameters, INDEX_DEFAULTS } from './parameters.ts';

interface OpenConversation {
  chat: Chat<ChatMessage>;
  /**
   * Position of the first loaded message, from which earlier messages can be loaded. `null` if there are no
   * earlier messages.
   */
  before: number | null;
}

/**
 * Returns the chat of a session, or a draft if no session is selected. Opened chats are kept until the screen
 * is closed.
 */
export function useConversation(corpus: Corpus, session: string | undefined, list: SessionList | undefined) {
  const [parameters, setShown] = useState<ChatParameters>(INDEX_DEFAULTS);
  const current = useRef(parameters);
  const setParameters = useCallback((changed: ChatParameters) => {
    current.current = changed;
    setShown(changed);
  }, []);
  const [opened] = useState(() => new Map<string, OpenConversation>());
  const [draft] = useState(() => openChat(corpus, 'draft', [], () => current.current));
  const [isReadingEarlier, setReadingEarlier] = useState(false);

  const isKnown = session === undefined || opened.has(session);
  const read = useQuery({
    queryKey: ['chat-messages', corpus.kind, corpus.id, session],
    queryFn: ({ signal }) => listMessages(corpus, session!, undefined, signal),
    enabled: !isKnown,
    // The query never runs again, because the chat object itself keeps track of later messages.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!isKnown && read.data) {
    const { messages, next_before: before } = read.data;
    opened.set(session, { chat: openChat(corpus, session, messages, () => current.current), before });
  }
  const open = session === undefined ? undefined : opened.get(session);
  const chat = open?.chat ?? draft;

  // If the last stored message is a question, its answer is still being generated, so the stream is resumed.
  useEffect(() => {
    if (chat.status === 'ready' && chat.lastMessage?.role === 'user') void chat.resumeStream();
  }, [chat]);

  // Restores the parameters that were last used in the selected conversation.
  const restoredSession = useRef<string>(undefined);
  const storedSession = list?.sessions.find(({ id }) => id === session);
  useEffect(() => {
    if (restoredSession.current === session || (session && !storedSession)) return;
    restoredSession.current = session;
    if (storedSession) setParameters(getLastUsedParameters(storedSession));
  }, [session, storedSession, setParameters]);

  const begin = async () => {
    const { id } = await createSession(corpus);
    const created = openChat(corpus, id, [], () => current.current);
    opened.set(id, { chat: created, before: null });
    restoredSession.current = id;
    return created;
  };
  const readEarlier = async () => {
    if (!open || open.before === null || !session) return;
    setReadingEarlier(true);
    try {
      const { messages, next_before } = await listMessages(corpus, session, open.before);
      open.before = next_before;
      open.chat.messages = [...messages, ...open.chat.messages];
    } finally {
      setReadingEarlier(false);
    }
  };
  return {
    chat,
    parameters,
    setParameters,
    begin,
    error: isKnown ? undefined : read.error,
    retry: () => void read.refetch(),
    isLoading: !open && session !== undefined && !read.error,
    hasEarlier: open?.before != null,
    isReadingEarlier,
    readEarlier,
  };
}
