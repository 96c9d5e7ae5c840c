import { t } from '../../i18n/messages.ts';
import type { Choice } from '../../ui/field.tsx';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const getUsual = (): Choice[] => [
  { value: '', label: t('Manual only') },
  { value: String(15 * MINUTE), label: t('Every 15 minutes') },
  { value: String(HOUR), label: t('Every hour') },
  { value: String(6 * HOUR), label: t('Every 6 hours') },
  { value: String(DAY), label: t('Every day') },
  { value: String(7 * DAY), label: t('Every week') },
];

/**
 * Returns the sync intervals to choose from, in seconds. If the current interval is an unusual one set
 * through the API, it is added.
 */
export function intervalChoices(current?: number | null): Choice[] {
  if (!current || getUsual().some(({ value }) => value === String(current))) return getUsual();
  return [
    ...getUsual(),
    { value: String(current), label: t('Every {interval}', { interval: formatInterval(current) }) },
  ];
}

function formatInterval(seconds: number): string {
  if (seconds % DAY === 0) return t('{count, plural, one {# day} other {# days}}', { count: seconds / DAY });
  if (seconds % HOUR === 0)
    return t('{count, plural, one {# hour} other {# hours}}', { count: seconds / HOUR });
  return seconds % MINUTE === 0
    ? t('{count, plural, one {# minute} other {# minutes}}', { count: seconds / MINUTE })
    : t('{count, plural, one {# second} other {# seconds}}', { count: seconds });
}

/** Returns the time of the next scheduled sync, or `undefined` if the source has no schedule. */
export function getNextReadTime(last: string, interval: number | null | undefined): Date | undefined {
  return interval ? new Date(Date.parse(last) + interval * 1000) : undefined;
}
