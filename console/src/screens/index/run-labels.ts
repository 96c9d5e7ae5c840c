import { t } from '../../i18n/messages.ts';

/** Labels for what started a sync run. */
const getReasons = (): Record<string, string> => ({
  request: t('Request'),
  schedule: t('Schedule'),
  change: t('Change'),
  copy: t('Index copy'),
});

export const toReasonLabel = (reason: string) => getReasons()[reason] ?? reason;

/** Returns the duration of a run in seconds. A run that has not finished is measured until `now`. */
export function getDurationSeconds(
  started: string,
  finished: string | null | undefined,
  now = Date.now(),
): number {
  return Math.max(0, ((finished ? Date.parse(finished) : now) - Date.parse(started)) / 1000);
}
