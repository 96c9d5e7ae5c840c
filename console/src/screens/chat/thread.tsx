import { memo, type ReactNode, useLayoutEffect, useRef } from 'react';
import { Answer } from './answer.tsx';
import { type ChatMessage, type Source, stateOf, textOf } from './messages.ts';
import styles from './thread.module.css';

/** How near to the end one reads for the page to go on with the answer, in pixels. */
const NEAR = 160;

/** The messages of a conversation in their order. */
export function Thread({
  messages,
  isBusy,
  earlier,
  onOpen,
  onRegenerate,
}: {
  messages: ChatMessage[];
  isBusy: boolean;
  /** What stands above the first message that is there. */
  earlier?: ReactNode;
  onOpen: (source: Source) => void;
  onRegenerate: (messageId: string) => void;
}) {
  useFollowed(messages, isBusy);
  const last = messages.at(-1);
  return (
    <div role="log" aria-label="Conversation" aria-busy={isBusy} className={styles.thread}>
      {earlier}
      <ol className={styles.messages}>
        {messages.map((message) => (
          <li key={message.id} className={styles.message}>
            {message.role === 'user' ? (
              <Question text={textOf(message)} />
            ) : (
              <>
                <h2 className="visually-hidden">Answer</h2>
                <Answer
                  message={message}
                  state={stateOf(message, isBusy && message === last)}
                  onOpen={onOpen}
                  onRegenerate={isBusy ? undefined : onRegenerate}
                />
              </>
            )}
          </li>
        ))}
        {isBusy && last?.role === 'user' && (
          <li className={styles.message}>
            <p className={styles.waiting}>Asking …</p>
          </li>
        )}
      </ol>
    </div>
  );
}

const Question = memo(function Question({ text }: { text: string }) {
  return (
    <div className={styles.question}>
      <h2 className="visually-hidden">You asked</h2>
      <p>{text}</p>
    </div>
  );
});

/** Keeps the end in sight while it grows, for who has not scrolled away from it. */
function useFollowed(messages: ChatMessage[], isBusy: boolean): void {
  const height = useRef(0);
  const asked = useRef<string>(undefined);
  useLayoutEffect(() => {
    const page = document.documentElement;
    const wasNear = scrollY + innerHeight >= height.current - NEAR;
    height.current = page.scrollHeight;
    const newest = messages.findLast(({ role }) => role === 'user')?.id;
    const isNew = newest !== asked.current;
    asked.current = newest;
    if (isNew || (isBusy && wasNear)) scrollTo({ top: page.scrollHeight });
  }, [messages, isBusy]);
}
