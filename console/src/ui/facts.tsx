import type { ReactNode } from 'react';
import styles from './facts.module.css';
import layout from './layout.module.css';

/** Shows a list of names with their values. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <Pair key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

const Pair = ({ name, value }: { name: string; value: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd dir="auto">{value}</dd>
  </>
);

/** Shows a row of key figures in large type. */
export function Figures({ figures }: { figures: [name: string, value: ReactNode][] }) {
  return (
    <div className={layout.tiles}>
      {figures.map(([name, value]) => (
        <dl key={name} className={styles.figure}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </dl>
      ))}
    </div>
  );
}
