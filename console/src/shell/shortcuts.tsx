import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { t } from '../i18n/messages.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';
import { getAdminItems, getMainItems } from './navigation-items.ts';
import { useProjectPath } from './project-path.ts';
import styles from './shortcuts.module.css';

const OFF = 'sluice-shortcuts-off';
const getItems = () => [...getMainItems(), ...getAdminItems()];
/** Milliseconds that `g` waits for the second letter of a shortcut. */
const WAIT_MS = 1500;

/** Returns true if the element accepts typed text, such as an input field. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Returns true if single-letter shortcuts are enabled. Users of speech input can turn them off, as WCAG 2.1.4
 * requires.
 */
export const areShortcutsEnabled = () => localStorage.getItem(OFF) === null;

/**
 * Calls the matching function in `letters` when the user presses a key. Keys are ignored in text fields and
 * while a dialog is open.
 */
export function useShortcuts(letters: Record<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!areShortcutsEnabled() || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const act = letters[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

/**
 * Global shortcuts: `g` and a letter for navigation, `/` for the search field, `?` for the list of shortcuts.
 */
export function Shortcuts() {
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const [isOpen, setOpen] = useState(false);
  const [going, setGoing] = useState(0);
  const to = (path: string) => () => {
    setGoing(0);
    navigate(pathTo(path));
  };
  const isGoing = () => Date.now() - going < WAIT_MS;
  const shortcuts = Object.fromEntries(getItems().map(({ key, to: path }) => [key, to(path)]));
  useShortcuts(
    going && isGoing()
      ? shortcuts
      : {
          g: () => setGoing(Date.now()),
          '/': () => document.querySelector<HTMLElement>('[type=search]')?.focus(),
          '?': () => setOpen(true),
        },
  );
  useEffect(() => {
    if (!going) return;
    const timer = setTimeout(() => setGoing(0), WAIT_MS);
    return () => clearTimeout(timer);
  }, [going]);
  if (!isOpen) return null;
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={() => setOpen(false)}>
      <dl className={styles.keys}>
        {[
          ...getItems().map(({ key, label }) => [`g ${key}`, label]),
          ['/', t('Go to the search field')],
          ['n', t('Create a new item')],
          ['j  k', t('Next or previous item')],
          ['[  ]', t('Previous or next page of a document')],
          ['Esc', t('Close or cancel')],
          ['?', t('Show this list')],
        ].map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label={t('Enable single-letter shortcuts')}
        hint={t('Turn this off if you use speech input.')}
        defaultChecked={areShortcutsEnabled()}
        onChange={(event) =>
          event.target.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, 'true')
        }
      />
    </Dialog>
  );
}
