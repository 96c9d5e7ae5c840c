/** What began a run. */
const REASONS: Record<string, string> = {
  request: 'Request',
  schedule: 'Schedule',
  change: 'A change',
  copy: 'Copy',
};

export const reasonWord = (reason: string) => REASONS[reason] ?? reason;

/** Seconds from start to end, or until now. */
export function tookSeconds(started: string, finished: string | null | undefined, now = Date.now()): number {
  return Math.max(0, ((finished ? Date.parse(finished) : now) - Date.parse(started)) / 1000);
}
