export const DAY_MS = 24 * 3600 * 1000;

/**
 * Returns the UTC day of a timestamp in milliseconds as YYYY-MM-DD. Budgets and usage are counted per UTC
 * day.
 */
export const toUtcDay = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** Returns the seconds until the next UTC day begins, rounded up. */
export const countSecondsUntilNextDay = (moment: number): number =>
  Math.ceil((DAY_MS - (moment % DAY_MS)) / 1000);
