import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../i18n/messages.ts';
import { IconButton } from '../../ui/button.tsx';
import styles from './panel.module.css';

/**
 * Side panel of a conversation, which covers the conversation on narrow windows. The panel takes the keyboard
 * focus, and returns the focus when the user closes the panel.
 */
export function Panel({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      className={styles.panel}
      aria-label={title}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.head}>
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h2>
        <IconButton icon="close" label={t('Close: {title}', { title })} small onClick={onClose} />
      </div>
      {children}
    </aside>
  );
}
