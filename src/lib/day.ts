export const DAY_MS = 24 * 3600 * 1000;

/** Returns the UTC day of a moment as YYYY-MM-DD. Budgets and usage are counted by it. */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** Seconds until the next one begins. */
export const secondsLeftOf = (moment: number): number => Math.ceil((DAY_MS - (moment % DAY_MS)) / 1000);
