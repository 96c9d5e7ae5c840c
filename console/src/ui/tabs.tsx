import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import styles from './tabs.module.css';

const pathOf = (address: string) => address.split('?', 1)[0]!;

/**
 * Parts of one thing that have addresses of their own: links, so they open in new tabs of the browser too. The one
 * that is nearest above the page's address is the current one: a file of an index belongs to its files.
 */
export function TabLinks({ label, tabs }: { label: string; tabs: { to: string; label: ReactNode }[] }) {
  const [location] = useLocation();
  const current = tabs
    .map(({ to }) => to)
    .filter((to) => location === pathOf(to) || location.startsWith(`${pathOf(to)}/`))
    .toSorted((a, b) => pathOf(b).length - pathOf(a).length)[0];
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map(({ to, label: word }) => (
        <Link key={to} to={to} className={styles.tab} aria-current={to === current ? 'page' : undefined}>
          {word}
        </Link>
      ))}
    </nav>
  );
}

/** Parts of one panel; arrows move between them. `children` is the content of the chosen one. */
export function Tabs<Key extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  children,
}: {
  label: string;
  tabs: readonly { key: Key; label: ReactNode }[];
  chosen: Key;
  onChoose: (key: Key) => void;
  children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = tabs.findIndex(({ key }) => key === chosen);
    const next = (at + step + tabs.length) % tabs.length;
    onChoose(tabs[next]!.key);
    list.current?.querySelectorAll<HTMLButtonElement>('[role=tab]')[next]?.focus();
  };
  return (
    <>
      <div ref={list} className={styles.tabs} role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ key, label: word }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={key === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={key === chosen ? 0 : -1}
            className={styles.tab}
            onClick={() => onChoose(key)}
          >
            {word}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
