import type { Chat } from '@ai-sdk/react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Corpus, createSession, listMessages, type SessionList } from './corpus.ts';
import type { ChatMessage } from './messages.ts';
import { openChat } from './open-chat.ts';
import { AS_THE_INDEX_HAS_IT, type ChatParameters, lastUsed } from './parameters.ts';

interface Open {
  chat: Chat<ChatMessage>;
  /** Where earlier messages are to be read. */
  before: number | null;
}

/** The conversation of a session, or one that has not begun. Those that were opened stay while the screen does. */
export function useConversation(corpus: Corpus, session: string | undefined, list: SessionList | undefined) {
  const [parameters, setShown] = useState<ChatParameters>(AS_THE_INDEX_HAS_IT);
  const current = useRef(parameters);
  const setParameters = useCallback((changed: ChatParameters) => {
    current.current = changed;
    setShown(changed);
  }, []);
  const [opened] = useState(() => new Map<string, Open>());
  const [draft] = useState(() => openChat(corpus, 'draft', [], () => current.current));
  const [isReadingEarlier, setReadingEarlier] = useState(false);

  const isKnown = session === undefined || opened.has(session);
  const read = useQuery({
    queryKey: ['chat-messages', corpus.kind, corpus.id, session],
    queryFn: ({ signal }) => listMessages(corpus, session!, undefined, signal),
    enabled: !isKnown,
    // What is said from here on, the chat itself knows.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!isKnown && read.data) {
    const { messages, next_before: before } = read.data;
    opened.set(session, { chat: openChat(corpus, session, messages, () => current.current), before });
  }
  const open = session === undefined ? undefined : opened.get(session);
  const chat = open?.chat ?? draft;

  // An answer that is being made is read on: its question is the last that is kept.
  useEffect(() => {
    if (chat.status === 'ready' && chat.lastMessage?.role === 'user') void chat.resumeStream();
  }, [chat]);

  // A conversation goes on with the parameters that it was last asked with.
  const lastOf = useRef<string>(undefined);
  const kept = list?.sessions.find(({ id }) => id === session);
  useEffect(() => {
    if (lastOf.current === session || (session && !kept)) return;
    lastOf.current = session;
    if (kept) setParameters(lastUsed(kept));
  }, [session, kept, setParameters]);

  const begin = async () => {
    const { id } = await createSession(corpus);
    const begun = openChat(corpus, id, [], () => current.current);
    opened.set(id, { chat: begun, before: null });
    lastOf.current = id;
    return begun;
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
