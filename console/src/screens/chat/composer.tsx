import { type KeyboardEvent, type RefObject, useLayoutEffect } from 'react';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import styles from './composer.module.css';

/**
 * Text field for a question. Enter sends the question, Shift+Enter inserts a line break, and Escape stops the
 * answer.
 */
export function Composer({
  field,
  text,
  isBusy,
  isCreating,
  onText,
  onSend,
  onStop,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** True while an answer is being generated. */
  isBusy: boolean;
  /** True while the conversation is being created. */
  isCreating: boolean;
  onText: (text: string) => void;
  onSend: () => void;
  onStop: () => void;
}) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    const area = field.current!;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight + 2, 240)}px`;
  }, [text]);
  const press = (event: KeyboardEvent) => {
    // While the user composes a character with an input method, such as for Japanese, Enter only confirms the
    // suggestion.
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
        aria-label={t('Question')}
        placeholder={t('Ask the documents')}
        className={styles.field}
        value={text}
        maxLength={20_000}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={press}
      />
      {isBusy ? (
        <Button icon="stop" onClick={onStop}>
          {t('Stop')}
        </Button>
      ) : (
        <Button look="primary" icon="send" type="submit" busy={isCreating} disabled={!text.trim()}>
          {t('Send')}
        </Button>
      )}
    </form>
  );
}
