import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { DAY_MS } from '#src/lib/day.ts';

/** A restore that was begun earlier was given up: it is not to keep for ever what is to go. */
const LONGEST_MS = 7 * DAY_MS;

/**
 * Whether a restore is under way. Its bytes lie in the bucket before the rows that speak of them, and its rows before
 * those that keep them from expiring: until it is over nothing is taken away for want of either.
 */
export async function isRestoring({ bucket }: Pick<Context, 'bucket'>): Promise<boolean> {
  const { objects } = await bucket.list({ prefix: keys.restores });
  return objects.some(({ uploaded }) => uploaded.getTime() > Date.now() - LONGEST_MS);
}
