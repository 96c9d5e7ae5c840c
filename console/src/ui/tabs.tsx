import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import styles from './tabs.module.css';

const stripQuery = (address: string) => address.split('?', 1)[0]!;

/**
 * Tabs with their own addresses, rendered as links. The tab with the longest matching path is the current
 * one, so that the page of a file selects the Files tab.
 */
export function TabLinks({ label, tabs }: { label: string; tabs: { to: string; label: ReactNode }[] }) {
  const [location] = useLocation();
  const current = tabs
    .map(({ to }) => to)
    .filter((to) => location === stripQuery(to) || location.startsWith(`${stripQuery(to)}/`))
    .toSorted((a, b) => stripQuery(b).length - stripQuery(a).length)[0];
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

/** Tabs within one panel, navigable with the arrow keys. `children` is the content of the selected tab. */
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
