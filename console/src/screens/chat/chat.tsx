import './without-eval.ts';
import { useChat } from '@ai-sdk/react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { t } from '../../i18n/messages.ts';
import { loadable } from '../../shell/loadable.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import styles from './chat.module.css';
import { Composer } from './composer.tsx';
import { Conversations, useSessions } from './conversations.tsx';
import { type Corpus, stopAnswer } from './corpus.ts';
import { findQuotedSentences, listSources, type Source } from './messages.ts';
import { countChangedParameters } from './parameters.ts';
import { Thread } from './thread.tsx';
import { useConversation } from './use-conversation.ts';

const CitationPanel = loadable(() => import('./citation-panel.tsx'));
const ParametersPanel = loadable(() => import('./parameters-panel.tsx'));

/** Chat with an index or a retriever. The page's address contains the conversation and the open citation. */
export default function Chat({ corpus, name }: { corpus: Corpus; name: string }) {
  const [search, setSearch] = useSearchParams();
  const session = search.get('session') ?? undefined;
  const node = search.get('citation');
  const go = useCallback(
    (members: Record<string, string | undefined>, replace = false) =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [member, value] of Object.entries(members)) {
            if (value === undefined) after.delete(member);
            else after.set(member, value);
          }
          return after;
        },
        { replace },
      ),
    [setSearch],
  );
  const sessions = useSessions(corpus);
  const conversation = useConversation(corpus, session, sessions.read.data);
  const { chat, parameters, setParameters } = conversation;
  const { messages, status, error, stop, regenerate } = useChat({ chat, throttle: 50 });
  const isBusy = status === 'submitted' || status === 'streaming';

  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [isCreating, setCreating] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [isNarrowList, setNarrowList] = useState(false);
  const panel = node ? 'citation' : search.get('panel');

  // The list of conversations is refreshed after each answer. Its order depends on time, and a new
  // conversation gets its name from the first question.
  const { refresh } = sessions;
  useEffect(() => {
    if (!isBusy) void refresh();
  }, [isBusy, refresh]);

  const send = async () => {
    const question = text.trim();
    if (!question || isBusy || isCreating || conversation.isLoading) return;
    setFailure(undefined);
    setCreating(true);
    try {
      const active = session ? chat : await conversation.begin();
      setText('');
      void active.sendMessage({ text: question });
      if (!session) go({ session: active.id, citation: undefined, of: undefined }, true);
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setCreating(false);
    }
  };
  const end = () => {
    void stop();
    stopAnswer(corpus, chat.id).catch(setFailure);
    field.current?.focus();
  };
  const choose = (chosen: string | undefined) => {
    setFailure(undefined);
    setNarrowList(false);
    go({ session: chosen, citation: undefined, of: undefined });
    if (!chosen) field.current?.focus();
  };
  const open = useCallback(
    ({ node_id, pipeline_id }: Source) =>
      go({ citation: node_id, of: pipeline_id === corpus.id ? undefined : pipeline_id, panel: undefined }),
    [go, corpus.id],
  );
  const closePanel = () => go({ citation: undefined, of: undefined, panel: undefined });
  const regenerateAnswer = useCallback((messageId: string) => void regenerate({ messageId }), [regenerate]);
  const opened = useMemo(
    () => messages.flatMap(listSources).findLast(({ node_id }) => node_id === node),
    [messages, node],
  );
  const quoted = useMemo(() => findQuotedSentences(messages, node), [messages, node]);
  const changed = countChangedParameters(parameters);

  return (
    <div className={styles.chat} data-panel={panel ? 'open' : undefined}>
      <div className={styles.list} data-shown={isNarrowList || undefined}>
        <Conversations corpus={corpus} sessions={sessions} chosen={session} onChoose={choose} />
      </div>
      <div className={styles.main}>
        <div className={styles.bar}>
          <span className={styles.listToggle}>
            <Button
              small
              icon="menu"
              aria-expanded={isNarrowList}
              onClick={() => setNarrowList(!isNarrowList)}
            >
              {t('Conversations')}
            </Button>
          </span>
          <Button
            small
            icon="settings"
            aria-expanded={panel === 'parameters'}
            onClick={() =>
              go({ panel: panel === 'parameters' ? undefined : 'parameters', citation: undefined })
            }
          >
            {changed > 0 ? t('Parameters, {count} set', { count: changed }) : t('Parameters')}
          </Button>
        </div>
        {conversation.error && (
          <Failure
            error={conversation.error}
            what={t('The conversation could not be read')}
            onRetry={conversation.retry}
          />
        )}
        {conversation.isLoading ? (
          <Skeleton rows={4} label={t('Loading the conversation')} />
        ) : messages.length === 0 && !conversation.error ? (
          <Empty icon="chat" title={t('Ask {name}', { name })}>
            {t('Answers are based only on its documents. Each number in an answer opens the cited passage.')}
          </Empty>
        ) : (
          <Thread
            messages={messages}
            isBusy={isBusy}
            earlier={
              conversation.hasEarlier && (
                <Button
                  small
                  look="quiet"
                  icon="up"
                  busy={conversation.isReadingEarlier}
                  onClick={() => conversation.readEarlier().catch(setFailure)}
                >
                  {t('Load earlier messages')}
                </Button>
              )
            }
            onOpen={open}
            onRegenerate={regenerateAnswer}
          />
        )}
        {status === 'error' && error && (
          <Failure error={error} what={t('The answer is incomplete')} onRetry={() => void regenerate()} />
        )}
        {!isBusy && status !== 'error' && messages.at(-1)?.role === 'user' && (
          <p className={styles.unanswered}>
            {t('This question has no answer.')}
            <Button small icon="retry" onClick={() => void regenerate()}>
              {t('Try again')}
            </Button>
          </p>
        )}
        {failure !== undefined && <Failure error={failure} what={t('The request failed')} />}
        <div className={styles.foot}>
          <Composer
            field={field}
            text={text}
            isBusy={isBusy}
            isCreating={isCreating}
            onText={setText}
            onSend={() => void send()}
            onStop={end}
          />
        </div>
      </div>
      {panel === 'citation' && node && (
        <CitationPanel
          key={node}
          pipelineId={search.get('of') ?? opened?.pipeline_id ?? corpus.id}
          nodeId={node}
          source={opened}
          quoted={quoted}
          onClose={closePanel}
        />
      )}
      {panel === 'parameters' && (
        <ParametersPanel
          corpus={corpus}
          parameters={parameters}
          onChange={setParameters}
          onClose={closePanel}
        />
      )}
    </div>
  );
}
