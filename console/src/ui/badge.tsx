import type { ReactNode } from 'react';
import { t } from '../i18n/messages.ts';
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
const getStates = (): Record<string, { word: string; tone?: Tone; icon: IconName }> => ({
  NOT_STARTED: { word: t('Pending'), icon: 'clock' },
  PENDING: { word: t('Pending'), icon: 'clock' },
  QUEUED: { word: t('Queued'), icon: 'clock' },
  IN_PROGRESS: { word: t('Running'), tone: 'info', icon: 'running' },
  RUNNING: { word: t('Running'), tone: 'info', icon: 'running' },
  THROTTLED: { word: t('Throttled'), tone: 'warn', icon: 'clock' },
  SUCCESS: { word: t('Ready'), tone: 'good', icon: 'check' },
  COMPLETED: { word: t('Completed'), tone: 'good', icon: 'check' },
  PARTIAL_SUCCESS: { word: t('Partly ready'), tone: 'warn', icon: 'warning' },
  ERROR: { word: t('Failed'), tone: 'bad', icon: 'failed' },
  FAILED: { word: t('Failed'), tone: 'bad', icon: 'failed' },
  CANCELLED: { word: t('Cancelled'), icon: 'stop' },
  CREATED: { word: t('New'), icon: 'clock' },
  DELETING: { word: t('Deleting'), tone: 'warn', icon: 'trash' },
});

/** Returns the label of a state, or the state itself if it is unknown. */
export const getStatusLabel = (status: string): string => getStates()[status.toUpperCase()]?.word ?? status;

export function StatusBadge({ status }: { status: string | null | undefined }) {
  const known = getStates()[(status ?? 'NOT_STARTED').toUpperCase()];
  if (!known) return <Badge>{status}</Badge>;
  const { word, tone, icon } = known;
  return (
    <Badge icon={icon} {...(tone && { tone })}>
      {word}
    </Badge>
  );
}
