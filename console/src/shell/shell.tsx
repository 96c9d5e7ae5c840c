import { onlineManager } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { t } from '../i18n/messages.ts';
import { Announcer } from '../ui/announce.tsx';
import { IconButton } from '../ui/button.tsx';
import { Notifications } from '../ui/notify.tsx';
import { Tooltips } from '../ui/tooltip.tsx';
import { useResumeUploads } from '../uploads/targets.ts';
import { Interruptions } from './interruptions.tsx';
import { useProjectFromUrl } from './project.ts';
import styles from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';
import { Sidebar } from './sidebar.tsx';

export function Shell({ children }: { children: ReactNode }) {
  useProjectFromUrl();
  useResumeUploads();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t('Skip to the content')}
      </a>
      <aside className={styles.side} aria-label={t('Navigation')}>
        <Sidebar />
      </aside>
      <TopBar />
      <main id="content" tabIndex={-1}>
        <OfflineBanner />
        <Interruptions />
        {children}
      </main>
      <Shortcuts />
      <Announcer />
      <Notifications />
      <Tooltips />
    </div>
  );
}

/** Top bar of narrow windows, with a button that opens the sidebar. */
function TopBar() {
  const drawer = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sidebar closes after each navigation
  useEffect(() => setOpen(false), [location]);
  useEffect(() => {
    if (isOpen) drawer.current?.showModal();
    else drawer.current?.close();
  }, [isOpen]);
  return (
    <header className={styles.bar}>
      <IconButton icon="menu" label={t('Menu')} onClick={() => setOpen(true)} />
      Sluice
      <dialog
        ref={drawer}
        className={styles.drawer}
        aria-label={t('Menu')}
        onClose={() => setOpen(false)}
        onClick={(event) => event.target === drawer.current && setOpen(false)}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      >
        {isOpen && <Sidebar />}
      </dialog>
    </header>
  );
}

function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
  if (isOnline) return null;
  return (
    <div className={styles.banner} role="status">
      {t(
        'You are offline. The data on this page may be outdated and is refreshed when the connection returns.',
      )}
    </div>
  );
}
