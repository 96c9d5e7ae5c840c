import { type KeyboardEvent, type RefObject, useLayoutEffect } from 'react';
import { Button } from '../../ui/button.tsx';
import styles from './composer.module.css';

/** Where a question is written. Enter sends it, Shift and Enter begin a line, Escape stops the answer. */
export function Composer({
  field,
  text,
  isBusy,
  isBegun,
  onText,
  onSend,
  onStop,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** An answer is being made. */
  isBusy: boolean;
  /** The conversation is being made. */
  isBegun: boolean;
  onText: (text: string) => void;
  onSend: () => void;
  onStop: () => void;
}) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows the text
  useLayoutEffect(() => {
    const area = field.current!;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight + 2, 240)}px`;
  }, [text]);
  const press = (event: KeyboardEvent) => {
    // While an input method composes, Enter belongs to it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && isBusy) onStop();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    onSend();
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label="Question"
        placeholder="Ask the documents"
        className={styles.field}
        value={text}
        maxLength={20_000}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={press}
      />
      {isBusy ? (
        <Button icon="stop" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button look="primary" icon="send" type="submit" busy={isBegun} disabled={!text.trim()}>
          Send
        </Button>
      )}
    </form>
  );
}
