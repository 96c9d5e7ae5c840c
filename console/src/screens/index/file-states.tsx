import { Link } from 'wouter';
import { count } from '../../ui/format.ts';
import styles from './file-states.module.css';

/** States of files, as they are told in lists: the good first, what needs somebody last. */
const GROUPS = [
  { key: 'ready', word: 'ready', states: ['SUCCESS', 'PARTIAL_SUCCESS'] },
  { key: 'indexing', word: 'indexing', states: ['IN_PROGRESS'] },
  { key: 'waiting', word: 'waiting', states: ['NOT_STARTED'] },
  { key: 'cancelled', word: 'cancelled', states: ['CANCELLED'] },
  { key: 'failed', word: 'failed', states: ['ERROR'] },
] as const;

export type StateCounts = Partial<Record<string, number>>;

export const totalOf = (counts: StateCounts) => Object.values(counts).reduce<number>((a, b = 0) => a + b, 0);

/** The groups that are not empty. */
export function groupsOf(counts: StateCounts) {
  return GROUPS.map(({ key, word, states }) => ({
    key,
    word,
    states: states as readonly string[],
    n: states.reduce((sum, state) => sum + (counts[state] ?? 0), 0),
  })).filter(({ n }) => n > 0);
}

/** How many files are in which state: a bar for a glance, and the same in words. */
export function FileStates({
  counts,
  linkTo,
}: {
  counts: StateCounts;
  /** Where the files of a state are listed; without it the words are no links. */
  linkTo?: (state: string) => string;
}) {
  const groups = groupsOf(counts);
  if (groups.length === 0) return <span className={styles.none}>No files yet</span>;
  return (
    <div className={styles.states}>
      <div className={styles.bar} aria-hidden="true">
        {groups.map(({ key, n }) => (
          <span key={key} className={styles[key]} style={{ flexGrow: n }} />
        ))}
      </div>
      <ul className={styles.words}>
        {groups.map(({ key, word, n, states }) => (
          <li key={key}>
            <Words to={linkTo?.(states[0]!)}>{`${count(n)} ${word}`}</Words>
          </li>
        ))}
      </ul>
    </div>
  );
}

const Words = ({ to, children }: { to: string | undefined; children: string }) =>
  to ? <Link to={to}>{children}</Link> : children;
