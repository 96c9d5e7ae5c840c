export const DAY_MS = 24 * 3600 * 1000;

/** The day of UTC that budgets and counts go by: YYYY-MM-DD. */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** Seconds until the next one begins. */
export const secondsLeftOf = (moment: number): number => Math.ceil((DAY_MS - (moment % DAY_MS)) / 1000);
