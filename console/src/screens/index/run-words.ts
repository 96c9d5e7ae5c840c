/** What began a run. */
const REASONS: Record<string, string> = {
  request: 'On request',
  schedule: 'By schedule',
  change: 'Something changed',
  copy: 'Copied',
};

export const reasonWord = (reason: string) => REASONS[reason] ?? reason;

/** Seconds from start to end, or until now. */
export function tookSeconds(started: string, finished: string | null | undefined, now = Date.now()): number {
  return Math.max(0, ((finished ? Date.parse(finished) : now) - Date.parse(started)) / 1000);
}
