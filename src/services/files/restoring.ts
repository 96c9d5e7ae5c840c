import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { DAY_MS } from '#src/lib/day.ts';

/**
 * Age in milliseconds after which an unfinished restore counts as abandoned and no longer blocks deletions.
 */
const LONGEST_MS = 7 * DAY_MS;

/**
 * Returns whether a restore is in progress. During a restore, bytes exist before their rows, and rows before
 * others that protect them from expiry. So nothing is cleaned up until it ends.
 */
export async function isRestoring({ bucket }: Pick<Context, 'bucket'>): Promise<boolean> {
  const { objects } = await bucket.list({ prefix: keys.restores });
  return objects.some(({ uploaded }) => uploaded.getTime() > Date.now() - LONGEST_MS);
}
