import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { t } from '../i18n/messages.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';
import {
  areShortcutsEnabled,
  beginSequence,
  enableShortcuts,
  endSequence,
  useShortcuts,
} from '../ui/use-shortcuts.ts';
import { useCan } from './can.ts';
import { loadable } from './loadable.tsx';
import { getAdminItems, getMainItems } from './navigation-items.ts';
import { useProjectPath } from './project-path.ts';
import styles from './shortcuts.module.css';

/** Milliseconds that `g` waits for the second letter of a shortcut. */
const WAIT_MS = 1500;

/** Leaves a search field and keeps its text, so that the following letters are shortcuts. */
function leaveSearch(event: KeyboardEvent): void {
  const { target } = event;
  if (!(target instanceof HTMLInputElement) || target.type !== 'search' || target.closest('dialog')) return;
  // Browsers would clear the field.
  event.preventDefault();
  target.blur();
}

const Palette = loadable(() => import('./palette.tsx'));

/**
 * Global shortcuts: Ctrl+K or Cmd+K for the command palette, `g` and a letter for navigation, `/` for the search field, `?` for the list of shortcuts.
 */
export function Shortcuts() {
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const items = [...getMainItems(), ...getAdminItems(useCan())];
  const [isOpen, setOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const to = (path: string) => () => {
    endSequence();
    navigate(pathTo(path));
  };
  useShortcuts({
    g: () => beginSequence(WAIT_MS),
    '/': () => document.querySelector<HTMLElement>('[type=search]')?.focus(),
    '?': () => setOpen(true),
  });
  useShortcuts(Object.fromEntries(items.map(({ key, to: path }) => [key, to(path)])), true);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (isCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (!document.querySelector('dialog[open]')) setPaletteOpen(true);
      } else if (event.key === 'Escape') leaveSearch(event);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  if (isPaletteOpen) {
    const close = () => setPaletteOpen(false);
    return (
      <Dialog title={t('Command palette')} onClose={close}>
        <Palette onClose={close} onShowShortcuts={() => setOpen(true)} />
      </Dialog>
    );
  }
  if (!isOpen) return null;
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={() => setOpen(false)}>
      <dl className={styles.keys}>
        {[
          ...items.map(({ key, label }) => [`g ${key}`, label]),
          [t('Ctrl K'), t('Search pages, indexes, files and actions')],
          ['/', t('Go to the search field')],
          ['Esc', t('Leave the search field')],
          ['n', t('Create a new item')],
          ['j  k', t('Next or previous item')],
          ['x', t('Select the item')],
          ['Enter', t('Open the item')],
          ['[  ]', t('Previous or next page of a document')],
          ['Esc', t('Close or cancel')],
          ['?', t('Show this list')],
        ].map(([keys, what]) => (
          <div key={`${keys} ${what}`}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label={t('Enable single-key shortcuts')}
        hint={t('Turn this off if you use speech input.')}
        defaultChecked={areShortcutsEnabled()}
        onChange={(event) => enableShortcuts(event.target.checked)}
      />
    </Dialog>
  );
}

export { useShortcuts };
