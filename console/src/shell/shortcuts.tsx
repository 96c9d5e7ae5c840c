import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';
import { useAt } from './link.ts';
import { HOUSE, WORK } from './places.ts';
import styles from './shortcuts.module.css';

const OFF = 'sluice-shortcuts-off';
const PLACES = [...WORK, ...HOUSE];
/** Within this time `g` waits for the letter of a place. */
const WAIT_MS = 1500;

/** Letters are for typing there. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Whether letters do something; who speaks to their machine turns them off (WCAG 2.1.4). */
export const areLettersOn = () => localStorage.getItem(OFF) === null;

/** Calls `act` when a letter is pressed that is not typed into something, above no dialog. */
export function useLetters(letters: Record<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!areLettersOn() || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const act = letters[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

/** The letters of every page: `g` and a place, `/` to the search of the page, `?` for this list. */
export function Shortcuts() {
  const [, navigate] = useLocation();
  const at = useAt();
  const [isOpen, setOpen] = useState(false);
  const [going, setGoing] = useState(0);
  const to = (path: string) => () => {
    setGoing(0);
    navigate(at(path));
  };
  const isGoing = () => Date.now() - going < WAIT_MS;
  const places = Object.fromEntries(PLACES.map(({ key, to: path }) => [key, to(path)]));
  useLetters(
    going && isGoing()
      ? places
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
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl className={styles.keys}>
        {[
          ...PLACES.map(({ key, label }) => [`g ${key}`, label]),
          ['/', 'Search in the page'],
          ['n', 'New, where something can be made'],
          ['j  k', 'Next, previous'],
          ['[  ]', 'Previous, next page of a document'],
          ['Esc', 'Close, stop'],
          ['?', 'This list'],
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
        label="Letters do something"
        hint="Turn this off when you speak to your machine."
        defaultChecked={areLettersOn()}
        onChange={(event) =>
          event.target.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, 'true')
        }
      />
    </Dialog>
  );
}
