import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'info';

export function Badge({ tone, icon, children }: { tone?: Tone; icon?: IconName; children: ReactNode }) {
  return (
    <span className={classes(styles.badge, tone && styles[tone])}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </span>
  );
}

/**
 * Label, icon and colour of each state of a run, file or job. Every state has an icon and a word, because
 * colour alone is not accessible.
 */
const STATES: Record<string, { word: string; tone?: Tone; icon: IconName }> = {
  NOT_STARTED: { word: 'Pending', icon: 'clock' },
  PENDING: { word: 'Pending', icon: 'clock' },
  QUEUED: { word: 'Queued', icon: 'clock' },
  IN_PROGRESS: { word: 'Running', tone: 'info', icon: 'running' },
  RUNNING: { word: 'Running', tone: 'info', icon: 'running' },
  THROTTLED: { word: 'Throttled', tone: 'warn', icon: 'clock' },
  SUCCESS: { word: 'Ready', tone: 'good', icon: 'check' },
  COMPLETED: { word: 'Completed', tone: 'good', icon: 'check' },
  PARTIAL_SUCCESS: { word: 'Partly ready', tone: 'warn', icon: 'warning' },
  ERROR: { word: 'Failed', tone: 'bad', icon: 'failed' },
  FAILED: { word: 'Failed', tone: 'bad', icon: 'failed' },
  CANCELLED: { word: 'Cancelled', icon: 'stop' },
  CREATED: { word: 'New', icon: 'clock' },
  DELETING: { word: 'Deleting', tone: 'warn', icon: 'trash' },
};

export function StatusBadge({ status }: { status: string | null | undefined }) {
  const known = STATES[(status ?? 'NOT_STARTED').toUpperCase()];
  if (!known) return <Badge>{status}</Badge>;
  const { word, tone, icon } = known;
  return (
    <Badge icon={icon} {...(tone && { tone })}>
      {word}
    </Badge>
  );
}
