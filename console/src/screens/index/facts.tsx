import type { ReactNode } from 'react';
import styles from './index.module.css';

/** Shows pairs of names and values side by side. Pairs whose value is undefined are left out. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode | undefined][] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
