const UNDER_WAY = new Set(['PENDING', 'THROTTLED', 'RUNNING']);

export const isUnderWay = (status: string | undefined) => status !== undefined && UNDER_WAY.has(status);

/** Returns the polling interval in milliseconds: one second while a job is running, otherwise ten seconds. */
export const pollWhile = (isOn: boolean | undefined) => (isOn ? 1000 : 10_000);
