import { memo, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { Answer } from './answer.tsx';
import { type ChatMessage, getAnswerState, getText, type Source } from './messages.ts';
import styles from './thread.module.css';

/** Distance from the end of the page, in pixels, within which the page keeps scrolling with the answer. */
const NEAR_END_PX = 160;

export function Thread({
  messages,
  isBusy,
  earlier,
  onOpen,
  onRegenerate,
}: {
  messages: ChatMessage[];
  isBusy: boolean;
  /** Content shown above the first loaded message, such as a button that loads earlier messages. */
  earlier?: ReactNode;
  onOpen: (source: Source) => void;
  onRegenerate: (messageId: string) => void;
}) {
  const log = useAutoScroll(messages, isBusy);
  const last = messages.at(-1);
  return (
    <div ref={log} role="log" aria-label={t('Conversation')} aria-busy={isBusy} className={styles.thread}>
      {earlier}
      <ol className={styles.messages}>
        {messages.map((message) => (
          <li key={message.id} className={styles.message}>
            {message.role === 'user' ? (
              <Question text={getText(message)} />
            ) : (
              <>
                <h2 className="visually-hidden">{t('Answer')}</h2>
                <Answer
                  message={message}
                  state={getAnswerState(message, isBusy && message === last)}
                  onOpen={onOpen}
                  onRegenerate={isBusy ? undefined : onRegenerate}
                />
              </>
            )}
          </li>
        ))}
        {isBusy && last?.role === 'user' && (
          <li className={styles.message}>
            <p className={styles.waiting}>{t('Sending …')}</p>
          </li>
        )}
      </ol>
    </div>
  );
}

const Question = memo(function Question({ text }: { text: string }) {
  useLanguage();
  return (
    <div className={styles.question}>
      <h2 className="visually-hidden">{t('You asked')}</h2>
      <p dir="auto">{text}</p>
    </div>
  );
});

/**
 * Scrolls to a new question, and with a growing answer unless the user has scrolled away from the end. Returns the
 * reference of the element that grows.
 */
function useAutoScroll(messages: ChatMessage[], isBusy: boolean) {
  const log = useRef<HTMLDivElement>(null);
  const newest = messages.findLast(({ role }) => role === 'user')?.id;
  const growth = useRef({ isBusy, isNew: false });
  useLayoutEffect(() => {
    growth.current.isBusy = isBusy;
  }, [isBusy]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per new question
  useLayoutEffect(() => {
    growth.current.isNew = true;
  }, [newest]);
  useEffect(() => {
    let height = 0;
    let wasGrowing = false;
    // The observer is called after the browser's own layout, so that reading the height causes no other one.
    const observer = new ResizeObserver(() => {
      const page = document.documentElement;
      const wasNear = scrollY + innerHeight >= height - NEAR_END_PX;
      height = page.scrollHeight;
      const isGrowing = growth.current.isBusy || log.current?.querySelector('[aria-busy=true]') != null;
      if (growth.current.isNew || ((isGrowing || wasGrowing) && wasNear)) scrollTo({ top: height });
      growth.current.isNew = false;
      wasGrowing = isGrowing;
    });
    if (log.current) observer.observe(log.current);
    return () => observer.disconnect();
  }, []);
  return log;
}
