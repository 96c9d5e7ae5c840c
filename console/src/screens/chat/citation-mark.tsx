import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import styles from './citation-mark.module.css';
import { formatPageRange, type Source } from './messages.ts';

/** Number of characters of a passage shown in the tooltip. */
const PREVIEW_LENGTH = 420;

/**
 * Citation number in an answer. Hovering or focusing the number shows the cited passage, and a click opens
 * the passage.
 */
export function CitationMark({ source, onOpen }: { source: Source; onOpen: (source: Source) => void }) {
  const [isShown, setShown] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const place = useCallback((tip: HTMLSpanElement | null) => {
    if (!tip || !button.current) return;
    tip.showPopover();
    const { left, top, bottom } = button.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    tip.style.top = `${top - height - 2 >= 0 ? top - height - 2 : bottom + 2}px`;
  }, []);
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isShown) return;
    event.stopPropagation();
    setShown(false);
  };
  const { citation, title, text } = source;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps the tooltip open below the pointer
    <span
      className={styles.mark}
      onMouseEnter={() => setShown(true)}
      onMouseLeave={() => setShown(false)}
      onKeyDown={leave}
    >
      <button
        ref={button}
        type="button"
        className={styles.number}
        aria-label={t('Source {number}: {title}', { number: citation, title })}
        aria-describedby={isShown ? id : undefined}
        onFocus={() => setShown(true)}
        onBlur={() => setShown(false)}
        onClick={() => {
          setShown(false);
          onOpen(source);
        }}
      >
        {citation}
      </button>
      {isShown && (
        <span ref={place} id={id} role="tooltip" popover="manual" className={styles.tip} dir="auto">
          <strong>{[title, formatPageRange(source)].filter(Boolean).join(', ')}</strong>
          <span className={styles.passage}>
            {text
              ? text.slice(0, PREVIEW_LENGTH) + (text.length > PREVIEW_LENGTH ? ' …' : '')
              : t('Open the citation to read the passage.')}
          </span>
        </span>
      )}
    </span>
  );
}
