import { onlineManager } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { Announcer } from '../ui/announce.tsx';
import { IconButton } from '../ui/button.tsx';
import { useResumedUploads } from '../uploads/targets.ts';
import { Interruptions } from './interruptions.tsx';
import { useProjectOfAddress } from './project.ts';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';

/** The frame of every page. */
export function Shell({ children }: { children: ReactNode }) {
  useProjectOfAddress();
  useResumedUploads();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      <aside className={styles.side} aria-label="Navigation">
        <Rail />
      </aside>
      <Bar />
      <main id="content" tabIndex={-1}>
        <OfflineBanner />
        <Interruptions />
        {children}
      </main>
      <Shortcuts />
      <Announcer />
    </div>
  );
}

/** On narrow windows the rail comes when it is asked for. */
function Bar() {
  const drawer = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when one has gone somewhere
  useEffect(() => setOpen(false), [location]);
  useEffect(() => {
    if (isOpen) drawer.current?.showModal();
    else drawer.current?.close();
  }, [isOpen]);
  return (
    <header className={styles.bar}>
      <IconButton icon="menu" label="Places" onClick={() => setOpen(true)} />
      Sluice
      <dialog
        ref={drawer}
        className={styles.drawer}
        aria-label="Places"
        onClose={() => setOpen(false)}
        onClick={(event) => event.target === drawer.current && setOpen(false)}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      >
        {isOpen && <Rail />}
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
      There is no connection. What you see may be old; it is read again when the connection is back.
    </div>
  );
}
