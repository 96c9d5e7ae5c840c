import { Link } from 'wouter';
import { t } from '../../i18n/messages.ts';
import { count } from '../../ui/format.ts';
import styles from './file-states.module.css';

/** Groups of file states in display order, from ready to failed. */
const getGroups = () =>
  [
    { key: 'ready', word: t('ready'), states: ['SUCCESS', 'PARTIAL_SUCCESS'] },
    { key: 'indexing', word: t('indexing'), states: ['IN_PROGRESS'] },
    { key: 'waiting', word: t('pending'), states: ['NOT_STARTED'] },
    { key: 'cancelled', word: t('cancelled'), states: ['CANCELLED'] },
    { key: 'failed', word: t('failed'), states: ['ERROR'] },
  ] as const;

export type StateCounts = Partial<Record<string, number>>;

export const sumCounts = (counts: StateCounts) =>
  Object.values(counts).reduce<number>((a, b = 0) => a + b, 0);

/** Counts the files in each group of states. Groups without files are left out. */
export function groupCounts(counts: StateCounts) {
  return getGroups()
    .map(({ key, word, states }) => ({
      key,
      word,
      states: states as readonly string[],
      n: states.reduce((sum, state) => sum + (counts[state] ?? 0), 0),
    }))
    .filter(({ n }) => n > 0);
}

/** Number of files per state, as a bar and as text. */
export function FileStates({
  counts,
  linkTo,
}: {
  counts: StateCounts;
  /** Returns a link to the list of files in the given state. If absent, the counts are plain text. */
  linkTo?: (state: string) => string;
}) {
  const groups = groupCounts(counts);
  if (groups.length === 0) return <span className={styles.none}>{t('No files yet')}</span>;
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
