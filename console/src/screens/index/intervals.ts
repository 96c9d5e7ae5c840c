import type { Choice } from '../../ui/field.tsx';
import { plural } from '../../ui/format.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const USUAL: Choice[] = [
  { value: '', label: 'Manual only' },
  { value: String(15 * MINUTE), label: 'Every 15 minutes' },
  { value: String(HOUR), label: 'Every hour' },
  { value: String(6 * HOUR), label: 'Every 6 hours' },
  { value: String(DAY), label: 'Every day' },
  { value: String(7 * DAY), label: 'Every week' },
];

/**
 * Returns the sync intervals to choose from, in seconds. If the current interval is an unusual one set
 * through the API, it is added.
 */
export function intervalChoices(current?: number | null): Choice[] {
  if (!current || USUAL.some(({ value }) => value === String(current))) return USUAL;
  return [...USUAL, { value: String(current), label: `Every ${formatInterval(current)}` }];
}

function formatInterval(seconds: number): string {
  if (seconds % DAY === 0) return plural(seconds / DAY, 'day');
  if (seconds % HOUR === 0) return plural(seconds / HOUR, 'hour');
  return seconds % MINUTE === 0 ? plural(seconds / MINUTE, 'minute') : plural(seconds, 'second');
}

/** Returns the time of the next scheduled sync, or `undefined` if the source has no schedule. */
export function getNextReadTime(last: string, interval: number | null | undefined): Date | undefined {
  return interval ? new Date(Date.parse(last) + interval * 1000) : undefined;
}
