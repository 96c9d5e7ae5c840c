import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
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

/**
 * Tabs within one panel. Arrow keys, Home and End move between tabs. `children` is the content of the selected
 * tab.
 */
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
  return (
    <Base.Root value={chosen} onValueChange={(key: Key) => onChoose(key)} className={styles.root}>
      <Base.List className={styles.tabs} aria-label={label} activateOnFocus>
        {tabs.map(({ key, label: word }) => (
          <Base.Tab key={key} value={key} className={styles.tab}>
            {word}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={chosen}>{children}</Base.Panel>
    </Base.Root>
  );
}
