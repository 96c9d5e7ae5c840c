const UNDER_WAY = new Set(['PENDING', 'THROTTLED', 'RUNNING']);

export const isUnderWay = (status: string | undefined) => status !== undefined && UNDER_WAY.has(status);

/** Milliseconds until what shows jobs is read again: each second while one is on. */
export const pollWhile = (isOn: boolean | undefined) => (isOn ? 1000 : 10_000);
