/** Labels for what started a sync run. */
const REASONS: Record<string, string> = {
  request: 'Request',
  schedule: 'Schedule',
  change: 'Change',
  copy: 'Copy',
};

export const toReasonLabel = (reason: string) => REASONS[reason] ?? reason;

/** Returns the duration of a run in seconds. A run that has not finished is measured until `now`. */
export function getDurationSeconds(
  started: string,
  finished: string | null | undefined,
  now = Date.now(),
): number {
  return Math.max(0, ((finished ? Date.parse(finished) : now) - Date.parse(started)) / 1000);
}
